import GatehouseWire

/// Of `GET /admin/latency`.
struct RouteLatency {
    let method: String
    let route: String
    let count: Int
    let p50: Double
    let p99: Double

    /// Unknown paths form one route.
    var shownName: String { route == "none" ? "(no route)" : "\(method.cutForChart) \(route.shown)" }

    static func list(json: AuthJSON) throws(WireProblem) -> [RouteLatency] {
        try WireMembers.list("routes", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "route")
            return RouteLatency(
                method: try members.required("method"), route: try members.required("route"),
                count: try members.count("count"), p50: try members.milliseconds("p50_ms"),
                p99: try members.milliseconds("p99_ms"))
        }
    }
}

/// Of `GET /admin/overview`.
struct Queue {
    let waiting: Int
    let oldest: Instant?
    /// 0 for mails.
    let failed: Int

    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "queue")
        (waiting, oldest) = (try members.count("waiting"), try members.optionalInstant("oldest"))
        failed = members["failed"] == nil ? 0 : try members.count("failed")
    }
}

/// Text messages of the last 24 hours, of `GET /admin/overview`.
struct SentTexts {
    let sent: Int
    let failed: Int
    /// Codes.
    let used: Int

    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "texts")
        (sent, failed, used) = (
            try members.count("sent"), try members.count("failed"), try members.count("used")
        )
    }

    /// Too few messages say nothing.
    var areUnused: Bool { sent >= 20 && Double(used) < Double(sent) * 0.3 }
}

/// `GET /admin/outbox`.
struct Outbox {
    struct Mail {
        let id: String
        let kind: String
        let state: String
        let reason: String?
        let attempts: Int
        let createdAt: Instant
        let nextAt: Instant?
        let endedAt: Instant?
    }

    let mails: [Mail]
    let waiting: Int
    let oldest: Instant?

    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "outbox")
        (waiting, oldest) = (try members.count("waiting"), try members.optionalInstant("oldest"))
        mails = try WireMembers.list("mails", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "mail")
            return Mail(
                id: try members.required("id"), kind: try members.required("kind"),
                state: try members.required("state"), reason: members.text("reason"),
                attempts: try members.count("attempts"), createdAt: try members.instant("created_at"),
                nextAt: try members.optionalInstant("next_at"), endedAt: try members.optionalInstant("ended_at"))
        }
    }
}

/// `GET /admin/deliveries`.
struct Deliveries {
    struct Endpoint {
        let name: String
        let kind: String
        let state: String
        /// nil for a hook.
        let waiting: Int?
    }

    struct Delivery {
        let id: String
        let endpoint: String
        let event: String
        let userID: String?
        let state: String
        let reason: String?
        let attempts: Int
        let createdAt: Instant
        let nextAt: Instant?
        let endedAt: Instant?
    }

    let endpoints: [Endpoint]
    let deliveries: [Delivery]

    init(json: AuthJSON) throws(WireProblem) {
        endpoints = try WireMembers.list("endpoints", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "endpoint")
            return Endpoint(
                name: try members.required("name"), kind: try members.required("kind"),
                state: try members.required("state"),
                waiting: members["waiting"] == nil ? nil : try members.count("waiting"))
        }
        deliveries = try WireMembers.list("deliveries", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "delivery")
            return Delivery(
                id: try members.required("id"), endpoint: try members.required("endpoint"),
                event: try members.required("event"), userID: members.text("user_id"),
                state: try members.required("state"), reason: members.text("reason"),
                attempts: try members.count("attempts"), createdAt: try members.instant("created_at"),
                nextAt: try members.optionalInstant("next_at"), endedAt: try members.optionalInstant("ended_at"))
        }
    }
}
