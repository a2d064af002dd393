import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension AuthServer {
    /// Responds with a session and a newly signed access token.
    ///
    /// - Parameter handout: The provider's tokens. The app receives them once, in this response.
    func answer(
        _ issued: IssuedSession, weakPassword: WeakPasswordMember = .leftOut, handing handout: ProviderHandout? = nil
    ) throws -> Response {
        let (signed, expiresAt) = try accessToken(issued)
        var response = Answer.json(capacity: 3_072) { writer in
            writer.session(
                accessToken: signed, refreshToken: issued.refreshToken.reveal(),
                expiresIn: settings.accessTokenLifetime.components.seconds, expiresAt: expiresAt,
                providerToken: handout?.accessToken?.reveal(), providerRefreshToken: handout?.refreshToken?.reveal(),
                weakPassword: weakPassword
            ) { $0.user(issued.account) }
        }
        response.headers.append(HTTPField(name: .authUserID, value: issued.account.user.id.text))
        response.headers.append(HTTPField(name: .authSessionID, value: issued.session.id.text))
        response.headers.append(HTTPField(name: .refreshTokenCounter, value: String(issued.session.counter)))
        return response
    }

    /// Signs an access token (RFC 7519, with the claims of Supabase Auth). `expiresAt` is in seconds since 1970.
    func accessToken(_ issued: IssuedSession) throws -> (text: String, expiresAt: Int64) {
        let (session, user, issuedAt) = (issued.session, issued.account.user, runtime.now().seconds)
        let expiresAt = issuedAt + settings.accessTokenLifetime.components.seconds
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("iss", settings.issuer)
        writer.member("sub", user.id.text)
        writer.member("aud", user.audience)
        writer.member("exp", expiresAt)
        writer.member("iat", issuedAt)
        writer.member("email", user.email ?? "")
        writer.member("phone", user.phone ?? "")
        writer.member("app_metadata", json: user.appMetadata)
        writer.member("user_metadata", json: user.userMetadata)
        writer.member("role", user.role)
        writer.member("aal", session.assuranceLevel)
        writer.member("amr", json: session.authenticationMethods)
        writer.member("session_id", session.id.text)
        writer.member("is_anonymous", user.isAnonymous)
        // For a strict session policy: the refresh token that this token was issued with.
        if accounts.policy.isStrict { writer.member("refresh_counter", session.counter) }
        writer.endObject()
        return (try keys.sign(writer.bytes), expiresAt)
    }
}

extension JSONWriter {
    /// - Parameters:
    ///   - showsIdentities: false writes `"identities": null`, as the list of all users does.
    ///   - more: Writes further members.
    mutating func user(
        _ account: Account, showsIdentities: Bool = true, more: (inout JSONWriter) -> Void = { _ in }
    ) {
        let user = account.user
        self.user(
            id: user.id.text, audience: user.audience, role: user.role, email: user.email, phone: user.phone,
            newEmail: user.newEmail, newPhone: user.newPhone, appMetadata: user.appMetadata,
            userMetadata: user.userMetadata, isAnonymous: user.isAnonymous, createdAt: user.times.createdAt,
            updatedAt: user.times.updatedAt, times: { user.time(of: $0) }, showsIdentities: showsIdentities,
            identities: { writer in
                for identity in account.identities { writer.identity(identity) }
            }, more: more)
    }

    private mutating func identity(_ identity: Identity) {
        self.identity(
            identityID: identity.id.text, id: identity.providerID, userID: identity.user.text, data: identity.data,
            provider: identity.provider, email: identity.email, lastSignInAt: identity.lastSignInAt,
            createdAt: identity.createdAt, updatedAt: identity.updatedAt)
    }
}

extension User {
    fileprivate func time(of event: UserEvent) -> Instant? {
        switch event {
        case .emailConfirmed: times.emailConfirmedAt
        case .phoneConfirmed: times.phoneConfirmedAt
        case .confirmed: confirmedAt
        case .confirmationSent: times.confirmationSentAt
        case .recoverySent: times.recoverySentAt
        case .emailChangeSent: times.emailChangeSentAt
        case .phoneChangeSent: times.phoneChangeSentAt
        case .reauthenticationSent: times.reauthenticationSentAt
        case .invited: times.invitedAt
        case .lastSignIn: times.lastSignInAt
        case .bannedUntil: times.bannedUntil
        case .deleted: times.deletedAt
        case .emailUndeliverable: times.emailUndeliverableAt
        }
    }
}

extension HTTPField.Name {
    fileprivate static let authUserID = Self("sb-auth-user-id")!
    fileprivate static let authSessionID = Self("sb-auth-session-id")!
    fileprivate static let refreshTokenCounter = Self("sb-auth-refresh-token-counter")!
}
