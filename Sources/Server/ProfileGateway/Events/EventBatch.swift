package import GatehouseWire

package struct CountedEvent: Hashable, Sendable {
    /// The hour's beginning.
    package let hour: Instant
    package let app: String
    package let name: String
    package let method: String
    package let detail: String

    /// The order of writes, so that nodes do not deadlock.
    var order: [String] { ["\(hour.microseconds)", app, name, method, detail] }
}

/// The message is for the client and quotes nothing.
package struct InvalidEvent: Error, Equatable {
    package let message: String
    /// A JSON Pointer.
    package let field: String
}

/// Strict: an unknown event, an unknown or missing member, or a malformed value refuses the batch.
package struct EventBatch: Sendable {
    package static let maximumBytes = 32_768
    package static let maximumEvents = 100
    package static let droppedName = "events_dropped"
    /// Per batch.
    private static let maximumDropped: Int64 = 10_000

    package private(set) var counts: [CountedEvent: Int64] = [:]
    package private(set) var eventCount = 0
    private let hour: Instant
    private let app: String
    private let names: CountedNames

    /// Events count for the hour of arrival: a device's clock may be wrong.
    ///
    /// - Throws: ``JSONProblem/malformed(_:)`` and ``InvalidEvent``.
    package init(_ bytes: [UInt8], counting names: CountedNames, at now: Instant) throws {
        guard let members = try JSONReader.read(bytes, refusesDuplicates: true).objectValue else {
            throw JSONProblem.malformed("expected an object")
        }
        try Self.require(members, ["events"], optional: ["app", "dropped"], at: "")
        let time = Instant(seconds: now.seconds - (now.seconds % 3_600 + 3_600) % 3_600)
        (hour, self.names) = (time, names)
        app = CountedNames.counted(try Self.name(members["app"] ?? "other", "/app"), among: names.apps)
        guard let dropped = (members["dropped"] ?? 0).intValue, dropped >= 0 else {
            throw InvalidEvent(message: "must be a whole number from zero", field: "/dropped")
        }
        guard let events = members["events"]?.arrayValue, events.count <= Self.maximumEvents else {
            throw InvalidEvent(message: "must be a list of at most \(Self.maximumEvents) events", field: "/events")
        }
        for (index, event) in events.enumerated() { try add(event, "/events/\(index)") }
        eventCount = events.count
        if dropped > 0 { count(Self.droppedName, by: min(dropped, Self.maximumDropped)) }
    }

    private mutating func add(_ event: AuthJSON, _ path: String) throws {
        guard let members = event.objectValue else { throw InvalidEvent(message: "must be an object", field: path) }
        guard let name = members["name"]?.stringValue.flatMap(EventName.init(text:)) else {
            throw InvalidEvent(message: "must be the name of an event", field: path + "/name")
        }
        let required = ["name", "labels"] + (name == .completed ? ["duration_ms"] : [])
        try Self.require(members, required, at: path)
        guard let labels = members["labels"]?.objectValue else {
            throw InvalidEvent(message: "must be an object", field: path + "/labels")
        }
        try Self.require(labels, name.labels, at: path + "/labels")
        func label(_ label: String) throws -> String { try Self.name(labels[label], "\(path)/labels/\(label)") }
        func method(_ name: String) throws -> String { CountedNames.counted(try label(name), among: names.methods) }
        func errorType() throws -> String {
            CountedNames.counted(try label("error_type"), among: CountedNames.errorTypes)
        }
        switch name {
        case .selected, .started, .cancelled: count(name.rawValue, method: try method("method"))
        case .completed:
            guard let milliseconds = members["duration_ms"]?.intValue, milliseconds >= 0 else {
                throw InvalidEvent(message: "must be a whole number from zero", field: path + "/duration_ms")
            }
            let duration = DurationClass(milliseconds: milliseconds)
            count(name.rawValue, method: try method("method"), detail: duration.rawValue)
        case .failed: count(name.rawValue, method: try method("method"), detail: try errorType())
        case .refreshFailed: count(name.rawValue, detail: try errorType())
        case .refreshAttempted:
            let reason = try label("reason")
            guard ExternalName(reason).map(CountedNames.reasons.contains) == true else {
                throw InvalidEvent(message: "must be expired or unauthorized", field: path + "/labels/reason")
            }
            count(name.rawValue, detail: reason)
        case .linked:
            count(name.rawValue, method: try method("new_provider"), detail: try method("existing_provider"))
        }
    }

    private mutating func count(_ name: String, method: String = "", detail: String = "", by amount: Int64 = 1) {
        let event = CountedEvent(hour: hour, app: app, name: name, method: method, detail: detail)
        counts[event, default: 0] += amount
    }

    private static func require(
        _ members: AuthJSONObject, _ required: [String], optional: [String] = [], at path: String
    ) throws(InvalidEvent) {
        for name in required where members[name] == nil {
            throw InvalidEvent(message: "is missing", field: "\(path)/\(name)")
        }
        let known = members.keys.filter { name in (required + optional).contains { $0 == name } }
        guard known.count == members.count else {
            let list = (required + optional).joined(separator: ", ")
            throw InvalidEvent(message: "must have no members but \(list)", field: path)
        }
    }

    /// ASCII, such as `custom:acme`.
    private static func name(_ value: AuthJSON?, _ path: String) throws(InvalidEvent) -> String {
        guard let text = value?.stringValue, (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isAlphanumeric || "_-.:".utf8.contains($0) })
        else { throw InvalidEvent(message: "must be a name of at most 64 letters, digits and _-.:", field: path) }
        return text
    }
}
