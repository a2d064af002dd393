public import Foundation

/// A recent link that can be undone without a trace.
public struct AuthUndoableLink: Hashable, Sendable, Identifiable {
    /// The identity's id.
    public var id: UUID
    /// `google`, `apple`, or another name; nil once removed.
    public var provider: String?
    /// The linking rule, such as `proven_by_both`; see Docs/linking.md.
    public var rule: String
    /// When it was linked.
    public var linkedAt: Date
    /// The deadline for undoing the link.
    public var until: Date

    /// For tests and previews.
    public init(id: UUID, provider: String?, rule: String, linkedAt: Date, until: Date) {
        self.id = id
        self.provider = provider
        self.rule = rule
        self.linkedAt = linkedAt
        self.until = until
    }
}

extension AuthUndoableLink {
    package static func list(json: AuthJSON) throws(WireProblem) -> [AuthUndoableLink] {
        try WireMembers.list("links", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "link")
            return AuthUndoableLink(
                id: try members.uuid("identity_id"), provider: members.text("provider"),
                rule: members.text("rule") ?? "", linkedAt: try members.requiredDate("linked_at"),
                until: try members.requiredDate("until"))
        }
    }
}

extension JSONWriter {
    package mutating func undoableLink(
        identityID: String, provider: String?, rule: String, linkedAt: Instant, until: Instant
    ) {
        beginObject()
        member("identity_id", identityID)
        member("provider", ifPresent: provider)
        member("rule", rule)
        member("linked_at", linkedAt)
        member("until", until)
        endObject()
    }
}
