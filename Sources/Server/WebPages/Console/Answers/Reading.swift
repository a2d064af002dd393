import GatehouseWire

// Strict: both sides are this program, so a page reports a wrong type instead of a silent 0.
extension WireMembers {
    /// Sums of as many as fit in a response stay within 64 bits.
    static var largestCount: Int64 { 1_000_000_000_000 }

    /// A whole number from 0 to 10¹².
    ///
    /// - Throws: ``WireProblem`` otherwise.
    func count(_ name: String) throws(WireProblem) -> Int {
        guard let value = self[name]?.intValue, (0...Self.largestCount).contains(value) else {
            throw WireProblem("\(name): expected a count")
        }
        return Int(value)
    }

    /// nil if absent.
    ///
    /// - Throws: ``WireProblem`` for anything else.
    func optionalInstant(_ name: String) throws(WireProblem) -> Instant? {
        guard let value = self[name] else { return nil }
        guard let instant = value.stringValue.flatMap(Instant.init) else {
            throw WireProblem("\(name): expected a timestamp")
        }
        return instant
    }

    func instant(_ name: String) throws(WireProblem) -> Instant {
        guard let instant = try optionalInstant(name) else { throw WireProblem("\(name): expected a timestamp") }
        return instant
    }

    /// From 0.
    func milliseconds(_ name: String) throws(WireProblem) -> Double {
        guard let value = number(name), value.isFinite, value >= 0 else {
            throw WireProblem("\(name): expected milliseconds")
        }
        return value
    }

    func texts(_ name: String) throws(WireProblem) -> [String] {
        guard let list = self[name]?.arrayValue else { throw WireProblem("\(name): expected an array") }
        return try list.map { json throws(WireProblem) in
            guard let text = json.stringValue else { throw WireProblem("\(name): expected strings") }
            return text
        }
    }
}
