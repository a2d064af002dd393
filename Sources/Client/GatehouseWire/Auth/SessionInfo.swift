public import Foundation

/// A session: a device on which the user is signed in, or an app or agent with access to the account.
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
    /// True if the session is bound to a key of its device, so a copied refresh token is useless. False if unknown.
    public var isBound = false
    /// The app or agent with access; nil for a device.
    public var oauthClient: OAuthSessionClient?
    /// The session that opened this child session, and with which it ends; nil for other sessions.
    public var parentID: UUID?
    /// The child session's purpose; nil for other sessions.
    public var kind: ChildSessionKind?
    /// As the app called the child session, such as "Journal on my watch". To display it, use ``shownName``.
    public var name: String?

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

/// The app or agent of a session.
public struct OAuthSessionClient: Hashable, Sendable {
    /// A UUID, or an https URL.
    public var id: String
    /// As the app or agent calls itself. To display it, use ``shownName``.
    public var name: String

    /// For tests and previews.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// The name's first 64 code points, without those that reorder text; otherwise ``id``.
    public var shownName: String { name.shown(upTo: 64) ?? id }

    /// nil without an id.
    init?(_ members: AuthJSONObject) {
        guard let id = members["id"]?.stringValue, !id.isEmpty else { return nil }
        self.init(id: id, name: members["name"]?.stringValue ?? "")
    }
}

extension SessionInfo {
    /// The device for display; nil if unknown.
    public var device: DeviceName? { userAgent.flatMap { DeviceName(userAgent: $0) } }

    /// The name's first 64 code points, without those that reorder text; nil without a name.
    public var shownName: String? { name?.shown(upTo: 64) }

    /// The time of the last refresh, or of the sign-in.
    public var lastUsedAt: Date { refreshedAt ?? createdAt }

    /// Each child session right after its parent, if that is among them; otherwise the same order.
    package static func nested(_ sessions: [SessionInfo]) -> [SessionInfo] {
        let ids = Set<UUID>(sessions.map(\.id))
        let children = Dictionary(grouping: sessions) { session in
            session.parentID.flatMap { ids.contains($0) ? $0 : nil }
        }
        return (children[nil] ?? []).flatMap { [$0] + (children[$0.id] ?? []) }
    }

    package static func list(json: AuthJSON) throws(WireProblem) -> [SessionInfo] {
        try WireMembers.list("sessions", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "session")
            var session = SessionInfo(
                id: try members.uuid("id"), createdAt: try members.requiredDate("created_at"),
                refreshedAt: members.date("refreshed_at"), userAgent: members.text("user_agent"),
                ipAddress: members.text("ip"), isCurrent: members.bool("is_current"))
            session.isBound = members.bool("bound")
            session.oauthClient = OAuthSessionClient(members.object("oauth_client"))
            session.parentID = members.text("parent_id").flatMap(UUID.init(uuidString:))
            session.kind = members.text("kind").map(ChildSessionKind.init(rawValue:))
            session.name = members.text("name")
            return session
        }
    }
}

extension JSONWriter {
    package mutating func sessionInfo(
        id: String, createdAt: Instant, refreshedAt: Instant?, userAgent: String?, ipAddress: String?, isCurrent: Bool,
        isBound: Bool, oauthClient: (id: String, name: String)? = nil,
        child: (parent: String, kind: String, name: String)? = nil
    ) {
        beginObject()
        member("id", id)
        member("created_at", createdAt)
        member("refreshed_at", ifPresent: refreshedAt)
        member("user_agent", ifPresent: userAgent)
        member("ip", ifPresent: ipAddress)
        member("is_current", isCurrent)
        member("bound", isBound)
        if let oauthClient {
            name("oauth_client")
            beginObject()
            member("id", oauthClient.id)
            member("name", oauthClient.name)
            endObject()
        }
        if let child {
            member("parent_id", child.parent)
            member("kind", child.kind)
            member("name", child.name)
        }
        endObject()
    }
}
