import GatehouseWire

/// The account that a client expects (OpenID Connect Core §3.1.2.1).
package struct ExpectedAccount: Sendable {
    /// Of `id_token_hint`: the client gets no other user's tokens.
    package var user: UserID?
    /// An email address or a phone number without its plus sign, of the ID token or of `login_hint`.
    package var name: String?

    package init(user: UserID? = nil, name: String? = nil) { (self.user, self.name) = (user, name) }

    /// - Parameter hint: Any other text than an address or number is ignored: a page would show the client's words.
    package init(loginHint hint: String?) {
        name = hint.map { $0.cut(to: EmailAddress.maximumBytes + 1) }
            .flatMap { EmailAddress($0)?.text ?? PhoneNumber($0)?.text }
    }

    /// For a sign-in page. Not of an ID token, whose address the link to the page would reveal.
    package var loginHint: String? { user == nil ? name : nil }

    package func mayBe(_ other: UserID) -> Bool { user.map { $0 == other } ?? true }

    package func matches(_ other: User) -> Bool {
        if let user { return user == other.id }
        guard let name else { return true }
        return name == other.email || name == other.phone
    }
}
