public import Foundation

/// A session: a device on which the user is signed in.
public struct SessionInfo: Hashable, Sendable, Identifiable {
    /// Its id, for revoking it.
    public var id: UUID
    /// When the user signed in.
    public var createdAt: Date
    /// When it was last refreshed; nil if never.
    public var refreshedAt: Date?
    /// At most 512 bytes. To display it, use ``device``.
    public var userAgent: String?
    /// The IP address of the last refresh.
    public var ipAddress: String?
    /// Whether it is the caller's session.
    public var isCurrent: Bool

    /// For tests and previews.
    public init(
        id: UUID, createdAt: Date, refreshedAt: Date? = nil, userAgent: String? = nil, ipAddress: String? = nil,
        isCurrent: Bool = false
    ) {
        self.id = id
        self.createdAt = createdAt
        self.refreshedAt = refreshedAt
        self.userAgent = userAgent
        self.ipAddress = ipAddress
        self.isCurrent = isCurrent
    }
}

extension SessionInfo {
    /// The device for display; nil if unknown.
    public var device: DeviceName? { userAgent.flatMap { DeviceName(userAgent: $0) } }

    /// The time of the last refresh, or of the sign-in.
    public var lastUsedAt: Date { refreshedAt ?? createdAt }

    package static func list(json: AuthJSON) throws(WireProblem) -> [SessionInfo] {
        try WireMembers.list("sessions", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "session")
            return SessionInfo(
                id: try members.uuid("id"), createdAt: try members.requiredDate("created_at"),
                refreshedAt: members.date("refreshed_at"), userAgent: members.text("user_agent"),
                ipAddress: members.text("ip"), isCurrent: members.bool("is_current"))
        }
    }
}

extension JSONWriter {
    package mutating func sessionInfo(
        id: String, createdAt: Instant, refreshedAt: Instant?, userAgent: String?, ipAddress: String?, isCurrent: Bool,
        client: (id: String, name: String)? = nil
    ) {
        beginObject()
        member("id", id)
        member("created_at", createdAt)
        member("refreshed_at", ifPresent: refreshedAt)
        member("user_agent", ifPresent: userAgent)
        member("ip", ifPresent: ipAddress)
        member("is_current", isCurrent)
        if let client {
            name("oauth_client")
            beginObject()
            member("id", client.id)
            member("name", client.name)
            endObject()
        }
        endObject()
    }
}
