package import GatehouseWire
package import Logging

/// One line per event: JSON, or columns for a terminal.
package struct LineLogHandler: LogHandler {
    package enum Format: Sendable {
        /// `{"time":…,"level":…,"logger":…,"message":…,"metadata":{…}}`
        case json
        /// `08:15:30.120 warning request answered route=/token status=429`
        case console
    }

    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: Format
    private let now: @Sendable () -> Instant
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: Receives a whole line with its line feed, on any thread.
    package init(
        label: String, format: Format, logLevel: Logger.Level, now: @escaping @Sendable () -> Instant,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.label = label
        self.format = format
        self.logLevel = logLevel
        self.now = now
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let provider = metadataProvider { all.merge(provider.get()) { _, new in new } }
        if let own = event.metadata { all.merge(own) { _, new in new } }
        if let error = event.error { all["error"] = .string("\(error)") }
        // Hummingbird's request ID, which clients never see; ours is in the metadata.
        all["hb.request.id"] = nil
        switch format {
        case .json: write(jsonLine(event, all))
        case .console: write(consoleLine(event, all))
        }
    }

    private func jsonLine(_ event: LogEvent, _ metadata: Logger.Metadata) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("time", now())
        writer.member("level", event.level.rawValue)
        writer.member("logger", label)
        writer.member("message", event.message.description)
        if !metadata.isEmpty { writer.member("metadata", .object(AuthJSONObject(metadata.mapValues(Self.json)))) }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func json(_ value: Logger.MetadataValue) -> AuthJSON {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string(value.description)
        case .array(let values): .array(values.map(json))
        case .dictionary(let members): .object(AuthJSONObject(members.mapValues(json)))
        }
    }

    private func consoleLine(_ event: LogEvent, _ metadata: Logger.Metadata) -> [UInt8] {
        var clock = now().description.dropFirst(11).prefix { $0 != "Z" }.prefix(12)
        if !clock.contains(".") { clock += "." }
        let time = clock + String(repeating: "0", count: max(0, 12 - clock.count))
        let level = event.level.rawValue
        let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let padding = String(repeating: " ", count: max(1, 9 - level.count))
        let line = "\(time) \(level)\(padding)\(event.message)\(pairs)"
        // Control characters could add lines, move the cursor or change colours.
        let safe = line.unicodeScalars.map { $0.isDeceptive ? " " : Character($0) }
        return Array((String(safe) + "\n").utf8)
    }
}
