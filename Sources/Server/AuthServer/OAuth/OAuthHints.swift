import AccountDomain
import GatehouseWire
import JSONWebTokens

extension OAuthRequestHandlers {
    /// Of `id_token_hint`, else of `login_hint` (OpenID Connect Core §3.1.2.1).
    ///
    /// - Throws: ``OAuthProblem`` `invalid_request` for anything but an ID token of this client, which may be expired.
    func expectedAccount(_ fields: OAuthFields, of client: OAuthClient) throws(OAuthProblem) -> ExpectedAccount {
        guard let hint = fields["id_token_hint"] else { return ExpectedAccount(loginHint: fields["login_hint"]) }
        let claims: AuthJSONObject
        do throws(TokenRejection) { claims = try keys.payload(of: hint).members } catch { throw .badHint }
        guard claims["iss"]?.stringValue == settings.issuer, claims["aud"]?.stringValue == client.publicID,
            let user = (claims["sub"]?.stringValue).flatMap({ UserID($0) })
        else { throw .badHint }
        let known = ExpectedAccount(loginHint: (claims["email"] ?? claims["phone_number"])?.stringValue)
        return ExpectedAccount(user: user, name: known.name)
    }
}

extension OAuthProblem {
    fileprivate static let badHint = OAuthProblem("invalid_request", "id_token_hint is no ID token of this client")
}

extension JSONWriter {
    /// If the client expects another account than the user's.
    mutating func expected(_ account: ExpectedAccount, of user: User) {
        guard !account.matches(user) else { return }
        member("expected_account", account.name ?? "")
        if account.user != nil { member("needs_other_account", true) }
    }
}
