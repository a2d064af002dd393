import GatehouseWire

/// Of `GET /admin/keys`.
struct ListedKey {
    let id: String
    let algorithm: String
    let state: String
    let createdAt: Instant?

    static func list(json: AuthJSON) throws(WireProblem) -> [ListedKey] {
        try WireMembers.list("keys", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "key")
            return ListedKey(
                id: try members.required("kid"), algorithm: try members.required("alg"),
                state: try members.required("state"), createdAt: try members.optionalInstant("created_at"))
        }
    }
}

/// Of `GET /admin/configuration`.
struct ListedSetting {
    let name: String
    let area: String
    /// nil if unset. Masked for a secret.
    let value: String?
    let isSecret: Bool
    /// `environment`, `file` or `default`.
    let origin: String
    /// One line of Markdown.
    let help: String

    var isChanged: Bool { origin != "default" }

    static func list(json: AuthJSON) throws(WireProblem) -> [ListedSetting] {
        try WireMembers.list("settings", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "setting")
            return ListedSetting(
                name: try members.required("name"), area: try members.required("area"),
                value: members["value"]?.stringValue,
                isSecret: members.bool("is_secret"), origin: try members.required("origin"),
                help: members.text("help") ?? "")
        }
    }
}

/// `GET /admin/requests`.
struct RequestLog {
    struct Entry {
        let number: Int
        let at: Instant
        let method: String
        let route: String
        let status: Int
        let milliseconds: Double
        let requestID: String
        /// nil if its trace is not recorded.
        let traceID: String?
        let code: String?
    }

    /// Oldest first.
    let entries: [Entry]
    /// The `after` of the next request.
    let next: Int

    init(json: AuthJSON) throws(WireProblem) {
        next = try WireMembers(json, path: "requests").count("next")
        entries = try WireMembers.list("requests", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "request")
            return Entry(
                number: try members.count("n"), at: try members.instant("at"), method: try members.required("method"),
                route: try members.required("route"), status: try members.count("status"),
                milliseconds: try members.milliseconds("ms"), requestID: try members.required("request_id"),
                traceID: members.text("trace_id"), code: members.text("code"))
        }.sorted { $0.number < $1.number }
    }
}
