import GatehouseWire

/// The rights of the OAuth server's clients at `/v1/auth/me`, with access tokens for this resource.
package struct ClientRights: Sendable {
    /// In `aud` (RFC 8707).
    package let resource: String
    /// The address of its metadata (RFC 9728), for challenges.
    package let metadata: String
    /// nil forbids the action.
    private let readScope: String?
    private let writeScope: String?

    package init(resource: String, metadata: String, readScope: String?, writeScope: String?) {
        self.resource = resource
        self.metadata = metadata
        self.readScope = readScope
        self.writeScope = writeScope
    }

    /// The right to change a profile includes reading it, because the response contains it.
    func mayRead(_ scopes: [String]) -> Bool { scopes.contains { $0 == readScope } || mayWrite(scopes) }

    func mayWrite(_ scopes: [String]) -> Bool { scopes.contains { $0 == writeScope } }

    /// For a challenge. Empty if no scope allows it.
    func scope(toWrite: Bool) -> String { (toWrite ? nil : readScope) ?? writeScope ?? "" }
}

/// A route's access to the profile.
enum ProfileAction {
    case read, write
    /// Never on behalf of a client.
    case reserved
}
