import GatehouseWire

package struct Finding: Sendable {
    package enum State: String, Sendable {
        case ok, warning, problem
    }

    /// Such as `outbox`.
    package let name: String
    package let state: State
    /// One line for users, without secrets.
    package let text: String
    package var advice: String?

    static func ok(_ name: String, _ text: String) -> Finding { Finding(name: name, state: .ok, text: text) }

    static func warning(_ name: String, _ text: String, _ advice: String) -> Finding {
        Finding(name: name, state: .warning, text: text, advice: advice)
    }

    static func problem(_ name: String, _ text: String, _ advice: String) -> Finding {
        Finding(name: name, state: .problem, text: text, advice: advice)
    }

    var line: String {
        let label = state.rawValue + String(repeating: " ", count: 8 - state.rawValue.count)
        return "\(label) \(name): \(text)" + (advice.map { "\n         -> \($0)" } ?? "")
    }

    var json: String {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("check", name)
        writer.member("state", state.rawValue)
        writer.member("text", text)
        if let advice { writer.member("advice", advice) }
        writer.endObject()
        return writer.text
    }
}
