public import Foundation

/// A sign-in method that was linked lately, and can be taken back with everything that the link changed.
public struct AuthUndoableLink: Hashable, Sendable, Identifiable {
    /// The identity, as an undo names it.
    public var id: UUID
    /// `google`, `apple`, or another name; nil when the identity is gone.
    public var provider: String?
    /// Why it was linked, such as `proven_by_both`; Docs/linking.md has them all.
    public var rule: String
    /// When it was linked.
    public var linkedAt: Date
    /// When it cannot be taken back any more.
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
    /// - Throws: ``WireProblem`` for anything but `{"links":[…]}`.
    package static func list(json: AnyJSON) throws(WireProblem) -> [AuthUndoableLink] {
        guard let list = json["links"]?.arrayValue else { throw WireProblem("links: expected an array") }
        var links: [AuthUndoableLink] = []
        for json in list {
            let members = try WireMembers(json, path: "link")
            links.append(
                AuthUndoableLink(
                    id: try members.uuid("identity_id"), provider: members.text("provider"),
                    rule: members.text("rule") ?? "", linkedAt: try members.requiredDate("linked_at"),
                    until: try members.requiredDate("until")))
        }
        return links
    }
}
