import AccountDomain
import AccountStore
import GatehouseWire

/// The claims of an access token before signing (RFC 7519, with the claims of Supabase Auth).
struct AccessToken {
    let session: Session
    let account: Account
    let issuer: String
    let issuedAt: Instant
    /// In whole seconds.
    let lifetime: Duration
    /// Whether the token names the refresh token that it was issued with, for a strict session policy.
    let namesRefreshToken: Bool

    var expiresAt: Int64 { issuedAt.seconds + lifetime.components.seconds }

    var payload: [UInt8] {
        let user = account.user
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("iss", issuer)
        writer.member("sub", user.id.text)
        writer.member("aud", user.audience)
        writer.member("exp", expiresAt)
        writer.member("iat", issuedAt.seconds)
        writer.member("email", user.email ?? "")
        writer.member("phone", user.phone ?? "")
        writer.member("app_metadata", json: user.appMetadata)
        writer.member("user_metadata", json: user.userMetadata)
        writer.member("role", user.role)
        writer.member("aal", session.assuranceLevel)
        writer.member("amr", json: session.authenticationMethods)
        writer.member("session_id", session.id.text)
        writer.member("is_anonymous", user.isAnonymous)
        if namesRefreshToken { writer.member("refresh_counter", session.counter) }
        writer.endObject()
        return writer.bytes
    }
}
