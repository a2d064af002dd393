import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

extension TokenIssuing {
    /// - Parameter handout: The provider's tokens, which the app receives only in this response.
    func answer(
        _ issued: IssuedSession, to device: Device, isRefresh: Bool = false,
        weakPassword: WeakPasswordMember = .leftOut, handing handout: ProviderHandout? = nil
    ) async throws -> Response {
        let signed = isRefresh ? try await refreshedToken(issued, to: device) : try accessToken(issued)
        var response = Answer.json(capacity: 3_072) { writer in
            writer.session(
                accessToken: signed.text, refreshToken: issued.refreshToken.reveal(),
                expiresIn: signed.lifetime, expiresAt: signed.expiresAt,
                providerToken: handout?.accessToken?.reveal(), providerRefreshToken: handout?.refreshToken?.reveal(),
                weakPassword: weakPassword
            ) { $0.user(issued.account) }
        }
        response.headers.append(HTTPField(name: .authUserID, value: issued.account.user.id.text))
        response.headers.append(HTTPField(name: .authSessionID, value: issued.session.id.text))
        response.headers.append(HTTPField(name: .refreshTokenCounter, value: String(issued.session.counter)))
        return response
    }

    func accessToken(_ issued: IssuedSession) throws -> SignedToken {
        let now = runtime.now().seconds
        if let agreed = issued.agreed { return try sign(agreed, as: issued.kind, at: now) }
        guard hooks?[.customAccessToken] == nil else { throw UnagreedToken() }
        return try sign(ownToken(of: issued, issuedAt: now), as: issued.kind, at: now)
    }

    /// Asks the hook after the rotation: while it fails, clients repeat the refresh with their current token.
    func refreshedToken(_ issued: IssuedSession, to device: Device) async throws -> SignedToken {
        let issuedAt = runtime.now().seconds
        let own = ownToken(of: issued, issuedAt: issuedAt)
        let token = try await agreed(own, of: issued, to: device, isRefresh: true)
        return try sign(token, as: issued.kind, at: issuedAt)
    }

    private func sign(
        _ token: AgreedToken, as kind: TokenSigner.Kind, at now: Int64
    ) throws -> SignedToken {
        SignedToken(
            text: try keys.sign(token.claims, as: kind), expiresAt: token.expiresAt,
            lifetime: max(token.expiresAt - now, 0))
    }

    /// Supabase Auth's claims before a hook changes them.
    ///
    /// Drops `user_metadata`, then all metadata, if the token would not fit into a header: otherwise its owner could
    /// not even change the metadata.
    func ownToken(of issued: IssuedSession, issuedAt: Int64, hasMetadata: Bool = true) -> AgreedToken {
        let end = issuedAt + lifetime(of: issued, issuedAt: issuedAt)
        if let client = issued.session.client {
            let claims = clientClaims(of: issued, client, issuedAt: issuedAt, expiresAt: end)
            return AgreedToken(claims: claims, expiresAt: end)
        }
        var claims: [UInt8] = []
        for part in hasMetadata ? MetadataPart.allCases : [.none] {
            claims = self.claims(of: issued, issuedAt: issuedAt, expiresAt: end, part)
            if claims.count <= settings.tokenRoom.claimBytes { break }
        }
        return AgreedToken(claims: claims, expiresAt: end)
    }

    private enum MetadataPart: CaseIterable { case all, app, none }

    /// In seconds. Tokens of a session that soon ends, or needs a second factor, expire with it.
    private func lifetime(of issued: IssuedSession, issuedAt: Int64) -> Int64 {
        let lifetime = settings.accessTokenLifetime.components.seconds
        let ends = [accounts.policy.lowEnd(of: issued.session, of: issued.account.user), issued.session.endsAt]
        guard let end = ends.compactMap(\.self).min() else { return lifetime }
        return min(lifetime, max(end.seconds - issuedAt, 0))
    }

    private func claims(
        of issued: IssuedSession, issuedAt: Int64, expiresAt: Int64, _ part: MetadataPart
    ) -> [UInt8] {
        let (session, user) = (issued.session, issued.account.user)
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("iss", settings.issuer)
        writer.member("sub", user.id.text)
        writer.member("aud", user.audience)
        writer.member("exp", expiresAt)
        writer.member("iat", issuedAt)
        writer.member("email", user.email ?? "")
        writer.member("phone", user.phone ?? "")
        if part != .none { writer.member("app_metadata", json: user.appMetadata) }
        if part == .all { writer.member("user_metadata", json: user.userMetadata) }
        writer.member("role", user.role)
        writer.member("aal", session.assuranceLevel.rawValue)
        writer.member("amr", json: session.authenticationMethods)
        writer.member("session_id", session.id.text)
        writer.member("is_anonymous", user.isAnonymous)
        writer.member("session_kind", ifPresent: session.child?.kind.rawValue)
        if let thumbprint = session.keyThumbprint { writer.confirmation(thumbprint) }
        // Only where it matters whether this token was used: an earlier refresh token then shows that the response was
        // lost.
        let isRaised = session.assuranceLevel > .aal1 && session.counter == session.levelCounter && session.counter > 0
        if accounts.policy.isStrict || isRaised { writer.member("refresh_counter", session.counter) }
        writer.endObject()
        return writer.bytes
    }
}

extension IssuedSession {
    fileprivate var kind: TokenSigner.Kind { session.client == nil ? .any : .clientAccess }
}

/// A session opened without its token's hook: a programming error.
struct UnagreedToken: Error {}

/// In seconds; `expiresAt` since 1970.
struct SignedToken: Sendable {
    let text: String
    let expiresAt: Int64
    let lifetime: Int64
}

extension JSONWriter {
    /// RFC 9449 §6.1.
    mutating func confirmation(_ thumbprint: String) {
        name("cnf")
        beginObject()
        member("jkt", thumbprint)
        endObject()
    }

    /// - Parameter showsIdentities: false writes `"identities": null` and no factors, as in the list of users.
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
            },
            more: { writer in
                if showsIdentities, let factors = user.factors { writer.member("factors", json: factors) }
                if user.storedSetAside != nil, user.isProven { writer.write(user.setAside) }
                writer.member("former_email", ifPresent: user.formerEmail)
                writer.member("former_email_moved_at", ifPresent: user.times.formerEmailMovedAt)
                more(&writer)
            })
    }

    /// Shows only the latest password, without its hash and what was entered with it.
    private mutating func write(_ setAside: SetAside) {
        let passwords = setAside.passwords.suffix(1).map { SetAsideMember(type: "password", at: $0.at) }
        let passkeys = setAside.passkeys.map {
            SetAsideMember(type: "passkey", at: $0.at, id: $0.id.text, name: $0.name)
        }
        let identities = setAside.identities.map {
            SetAsideMember(type: "identity", at: $0.at, id: $0.id.text, provider: $0.provider)
        }
        list("set_aside", passwords + passkeys + identities) { $1.write(to: &$0) }
    }

    private mutating func identity(_ identity: Identity) {
        self.identity(
            identityID: identity.id.text, id: identity.providerID, userID: identity.user.text, data: identity.data,
            provider: identity.provider, email: identity.email, lastSignInAt: identity.lastSignInAt,
            createdAt: identity.createdAt, updatedAt: identity.updatedAt)
    }
}

private struct SetAsideMember {
    let type: String
    let at: Instant
    var id: String?
    var name: String?
    var provider: String?

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", type)
        writer.member("id", ifPresent: id)
        writer.member("name", ifPresent: name)
        writer.member("provider", ifPresent: provider)
        writer.member("set_aside_at", at)
        writer.endObject()
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
