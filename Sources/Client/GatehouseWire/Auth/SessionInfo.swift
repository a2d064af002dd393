public import Foundation

/// A session of the user, that is, a device that is signed in.
public struct SessionInfo: Hashable, Sendable, Identifiable {
    /// The session's id, for ending it.
    public var id: UUID
    /// When the user signed in.
    public var createdAt: Date
    /// When the session was last refreshed; nil before the first refresh.
    public var refreshedAt: Date?
    /// The device's user agent, at most 512 bytes; nil if it sent none. For display use ``device``.
    public var userAgent: String?
    /// The address of the last refresh.
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
    /// The device in the words of its user; nil if its user agent names none.
    public var device: DeviceName? { userAgent.flatMap { DeviceName(userAgent: $0) } }

    /// The time of the last refresh, or of the sign-in.
    public var lastUsedAt: Date { refreshedAt ?? createdAt }

    /// Reads `{"sessions":[…]}`.
    ///
    /// - Throws: ``WireProblem`` without the array, or if an element has no `id` or `created_at`.
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
    /// Writes an element of the list that ``SessionInfo/list(json:)`` reads.
    package mutating func sessionInfo(
        id: String, createdAt: Instant, refreshedAt: Instant?, userAgent: String?, ipAddress: String?, isCurrent: Bool
    ) {
        beginObject()
        member("id", id)
        member("created_at", createdAt)
        member("refreshed_at", ifPresent: refreshedAt)
        member("user_agent", ifPresent: userAgent)
        member("ip", ifPresent: ipAddress)
        member("is_current", isCurrent)
        endObject()
    }
}
