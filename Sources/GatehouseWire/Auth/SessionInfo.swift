public import Foundation

/// One place where a person is signed in.
public struct SessionInfo: Hashable, Sendable, Identifiable {
    /// Names the session when it is to be ended.
    public var id: UUID
    /// When the person signed in there.
    public var createdAt: Date
    /// When its token was last refreshed; nil until the first time.
    public var refreshedAt: Date?
    /// What the device calls itself, at most 512 characters; nil when it did not say.
    public var userAgent: String?
    /// The address that it last refreshed from.
    public var ipAddress: String?
    /// Whether it is the one that asks.
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
    /// - Throws: ``WireProblem`` for anything but `{"sessions":[…]}`.
    package static func list(json: AnyJSON) throws(WireProblem) -> [SessionInfo] {
        guard let list = json["sessions"]?.arrayValue else { throw WireProblem("sessions: expected an array") }
        var sessions: [SessionInfo] = []
        for json in list {
            let members = try WireMembers(json, path: "session")
            sessions.append(
                SessionInfo(
                    id: try members.uuid("id"), createdAt: try members.requiredDate("created_at"),
                    refreshedAt: members.date("refreshed_at"), userAgent: members.text("user_agent"),
                    ipAddress: members.text("ip"), isCurrent: members.bool("is_current")))
        }
        return sessions
    }
}
