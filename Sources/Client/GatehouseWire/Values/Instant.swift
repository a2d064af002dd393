/// Microseconds since 1970-01-01T00:00:00Z, the resolution of both databases.
package struct Instant: Hashable, Sendable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    /// Traps if the microseconds exceed 64 bits.
    package init(seconds: Int64) { self.microseconds = seconds * 1_000_000 }

    /// A JWT's NumericDate (RFC 7519 §2), rounded down.
    package var seconds: Int64 { Self.floorDivide(microseconds, 1_000_000) }
}

extension Instant: Comparable {
    package static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    /// Truncated to microseconds.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(microseconds: instant.microseconds + duration.microseconds)
    }

    /// Truncated to microseconds.
    package static func - (instant: Instant, duration: Duration) -> Instant {
        Instant(microseconds: instant.microseconds - duration.microseconds)
    }

    package static func - (left: Instant, right: Instant) -> Duration {
        .microseconds(left.microseconds - right.microseconds)
    }
}

extension Duration {
    /// Truncated.
    package var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

// RFC 3339 in UTC with `Z`, up to six fractional digits, no trailing zeros.
extension Instant: CustomStringConvertible {
    package var description: String {
        var bytes: [UInt8] = []
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package func appendRFC3339(to bytes: inout [UInt8]) {
        let days = Self.floorDivide(seconds, 86_400)
        let second = Int(seconds - days * 86_400)
        let (year, month, day) = Self.civil(fromDays: days)
        let fraction = Int(microseconds &- seconds &* 1_000_000)
        let hasFourDigits = (0...9_999).contains(year)
        if !hasFourDigits { Self.append(year: year, to: &bytes) }
        bytes.append(contentsOf: hasFourDigits ? Self.form[...] : Self.form[4...])
        let start = bytes.count - Self.form.count
        bytes.withUnsafeMutableBufferPointer { text in
            if hasFourDigits {
                Self.put(year / 100, at: start, in: text)
                Self.put(year % 100, at: start + 2, in: text)
            }
            Self.put(month, at: start + 5, in: text)
            Self.put(day, at: start + 8, in: text)
            Self.put(second / 3_600, at: start + 11, in: text)
            Self.put(second / 60 % 60, at: start + 14, in: text)
            Self.put(second % 60, at: start + 17, in: text)
            Self.put(fraction / 10_000, at: start + 20, in: text)
            Self.put(fraction / 100 % 100, at: start + 22, in: text)
            Self.put(fraction % 100, at: start + 24, in: text)
        }
        if fraction == 0 { bytes.removeLast(7) } else { while bytes.last == UInt8(ascii: "0") { bytes.removeLast() } }
        bytes.append(UInt8(ascii: "Z"))
    }

    private static let form = Array("0000-00-00T00:00:00.000000".utf8)

    /// The number has at most two digits.
    private static func put(_ number: Int, at position: Int, in text: UnsafeMutableBufferPointer<UInt8>) {
        text[position] = UInt8(ascii: "0") + UInt8(number / 10)
        text[position + 1] = UInt8(ascii: "0") + UInt8(number % 10)
    }

    /// Also writes years outside RFC 3339.
    private static func append(year: Int, to bytes: inout [UInt8]) {
        if year < 0 { bytes.append(UInt8(ascii: "-")) }
        let digits = String(year.magnitude).utf8
        for _ in digits.count..<max(4, digits.count) { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: digits)
    }

    /// Parses RFC 3339 and PostgreSQL's variant (a space instead of `T`, `+00` for `Z`); UTC by default. Truncates to
    /// microseconds. nil for dates that do not exist, and years outside 0 to 9999.
    package init?(_ text: String) {
        // RFC 3339 takes up to 35 bytes.
        guard text.utf8.count <= 64 else { return nil }
        var rest = Substring(text)
        guard let year = Self.number(&rest, 4), Self.take("-", &rest), let month = Self.number(&rest, 2),
            Self.take("-", &rest), let day = Self.number(&rest, 2), Self.take("Tt ", &rest),
            let hour = Self.number(&rest, 2), Self.take(":", &rest), let minute = Self.number(&rest, 2),
            Self.take(":", &rest), let second = Self.number(&rest, 2),
            (1...12).contains(month), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0
        if Self.take(".", &rest) {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty else { return nil }
            fraction = Int(digits.prefix(6) + String(repeating: "0", count: max(0, 6 - digits.count))) ?? 0
            rest = rest.dropFirst(digits.count)
        }
        let days = Self.days(year, month, day)
        // Rejects days after the month's end.
        guard Self.civil(fromDays: days) == (year, month, day), let offset = Self.offset(rest) else { return nil }
        let seconds = days * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset)
        // The offset can move the time out of range.
        guard (Self.leastSeconds...Self.mostSeconds).contains(seconds) else { return nil }
        self.init(microseconds: seconds * 1_000_000 + Int64(fraction))
    }

    /// RFC 3339 §1.
    private static let leastSeconds: Int64 = -62_167_219_200
    private static let mostSeconds: Int64 = 253_402_300_799

    /// Seconds east of UTC.
    private static func offset(_ text: Substring) -> Int? {
        if text.isEmpty || text == "Z" || text == "z" { return 0 }
        var rest = text
        let sign = rest.removeFirst()
        guard sign == "+" || sign == "-", let hours = number(&rest, 2), hours < 24 else { return nil }
        let mustHaveMinutes = take(":", &rest)
        let minutes = rest.isEmpty && !mustHaveMinutes ? 0 : number(&rest, 2)
        guard let minutes, minutes < 60, rest.isEmpty else { return nil }
        return (hours * 3_600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }

    private static func number(_ rest: inout Substring, _ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return Int(text)
    }

    private static func take(_ allowed: String, _ rest: inout Substring) -> Bool {
        guard let first = rest.first, allowed.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
        value / by - (value % by < 0 ? 1 : 0)
    }

    // The proleptic Gregorian calendar in eras of 400 years from 1 March, so leap days end a year.
    private static func civil(fromDays days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), Int(month), Int(day))
    }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
