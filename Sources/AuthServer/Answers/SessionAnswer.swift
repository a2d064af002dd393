import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// Whether the session response contains `weak_password`, and with what value.
enum WeakPasswordMember {
    /// For every grant except `password`.
    case leftOut
    case fine
    case weak(message: String, reasons: [WeakPasswordReason])
}

extension AuthServer {
    /// Encodes the [Session object](https://supabase.com/docs/guides/auth/sessions) with a newly signed access token.
    ///
    /// - Parameter handout: The provider's tokens. The app receives them once, in this response.
    func answer(
        _ issued: IssuedSession, weakPassword: WeakPasswordMember = .leftOut, handing handout: ProviderHandout? = nil
    ) throws -> Response {
        let (signed, expiresAt) = try accessToken(issued)
        var response = Answer.json(capacity: 3_072) { writer in
            writer.beginObject()
            writer.member("access_token", signed)
            writer.member("token_type", "bearer")
            writer.member("expires_in", settings.accessTokenLifetime.components.seconds)
            writer.member("expires_at", expiresAt)
            writer.member("refresh_token", issued.refreshToken.reveal())
            writer.name("user")
            writer.user(issued.account)
            if let token = handout?.accessToken { writer.member("provider_token", token.reveal()) }
            if let token = handout?.refreshToken { writer.member("provider_refresh_token", token.reveal()) }
            Self.write(weakPassword, to: &writer)
            writer.endObject()
        }
        response.headers.append(HTTPField(name: .authUserID, value: issued.account.user.id.text))
        response.headers.append(HTTPField(name: .authSessionID, value: issued.session.id.text))
        response.headers.append(HTTPField(name: .refreshTokenCounter, value: String(issued.session.counter)))
        return response
    }

    /// Signs an access token. `expiresAt` is in seconds since 1970.
    func accessToken(_ issued: IssuedSession) throws -> (text: String, expiresAt: Int64) {
        let token = AccessToken(
            session: issued.session, account: issued.account, issuer: settings.issuer, issuedAt: runtime.now(),
            lifetime: settings.accessTokenLifetime, namesRefreshToken: accounts.policy.isStrict)
        return (try keys.sign(token.payload), token.expiresAt)
    }

    private static func write(_ member: WeakPasswordMember, to writer: inout JSONWriter) {
        switch member {
        case .leftOut: break
        case .fine:
            writer.name("weak_password")
            writer.null()
        case .weak(let message, let reasons):
            writer.name("weak_password")
            writer.beginObject()
            writer.member("message", message)
            writer.member("reasons", .array(reasons.map { .string($0.rawValue) }))
            writer.endObject()
        }
    }
}

extension HTTPField.Name {
    fileprivate static let authUserID = Self("sb-auth-user-id")!
    fileprivate static let authSessionID = Self("sb-auth-session-id")!
    fileprivate static let refreshTokenCounter = Self("sb-auth-refresh-token-counter")!
}
