import Crypto
import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension StandInGoogle {
    /// `/token`: exchanges a code or a refresh token.
    func token(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await request.form(context)
        let client = try authenticate(form, request.headers[.authorization])
        switch form["grant_type"] {
        case "authorization_code": return try await exchange(form, client)
        case "refresh_token": return try await refresh(form, client)
        case nil: throw OAuthRefusal.invalidRequest("grant_type is missing.")
        case .some:
            throw OAuthRefusal(
                .badRequest, "unsupported_grant_type", "grant_type has to be authorization_code or refresh_token.")
        }
    }

    /// The secret is in the form or in `Authorization`, but not in both (RFC 6749 §2.3).
    private func authenticate(_ form: FormFields, _ header: String?) throws(OAuthRefusal) -> String {
        let (client, secret): (String?, String?)
        if let header {
            guard form["client_secret"] == nil else {
                throw .invalidRequest("The secret is in the form and in Authorization.")
            }
            guard let pair = Self.basic(header) else { throw Self.invalidClient("Authorization is not Basic.") }
            guard form["client_id"] == nil || form["client_id"] == pair.client else {
                throw .invalidRequest("The form and Authorization name two clients.")
            }
            (client, secret) = (pair.client, pair.secret)
        } else {
            (client, secret) = (form["client_id"], form["client_secret"])
        }
        guard let client else { throw .invalidRequest("client_id is missing.") }
        guard client == registration.webClient else { throw Self.invalidClient("This client_id is not registered.") }
        guard let secret else { throw .invalidRequest("client_secret is missing.") }
        guard registration.secret.matches(Secret(secret)) else { throw Self.invalidClient("The secret is wrong.") }
        return client
    }

    private static func invalidClient(_ problem: String) -> OAuthRefusal {
        OAuthRefusal(.unauthorized, "invalid_client", problem, challenge: #"Basic realm="stand-in for Google""#)
    }

    /// Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). Foundation also decodes text whose last
    /// bits belong to no byte.
    static func basic(_ header: String) -> (client: String, secret: String)? {
        guard header.utf8.count < 4_096, header.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(header.dropFirst(6))),
            data.base64EncodedString() == header.dropFirst(6), case let bytes = Array(data),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let client = FormText.read(bytes[..<colon]), let secret = FormText.read(bytes[(colon + 1)...])
        else { return nil }
        return (client, secret)
    }

    private func exchange(_ form: FormFields, _ client: String) async throws -> Response {
        guard let text = form["code"] else { throw OAuthRefusal.invalidRequest("code is missing.") }
        try await world.undergo(ledger.code(text)?.grant.visitor.person, slowness: slowness)
        let now = world.now()
        guard let code = ledger.code(text), now < code.expiresAt, code.grant.client == client else {
            throw OAuthRefusal.invalidGrant("The code has expired or was never given out.")
        }
        let grant = code.grant
        guard let url = form["redirect_uri"] else { throw OAuthRefusal.invalidRequest("redirect_uri is missing.") }
        guard url == grant.redirectURI else {
            throw OAuthRefusal(
                .badRequest, "redirect_uri_mismatch", "redirect_uri is not the one that the code was sent to.")
        }
        try Self.check(form["code_verifier"], against: grant.challenge)
        guard ledger.use(text) else { throw OAuthRefusal.invalidGrant("The code was used before.") }
        var answer = try accessToken(for: grant, at: now)
        if grant.mayRefresh { answer["refresh_token"] = .string(ledger.issue(.refresh, for: grant, until: nil)) }
        return OAuthAnswer.json(.object(answer))
    }

    /// RFC 7636 §4.6. Like Google, also refuses a verifier without a challenge.
    static func check(_ verifier: String?, against challenge: String?) throws(OAuthRefusal) {
        guard let challenge else {
            guard verifier == nil else { throw .invalidGrant("There was no code_challenge for this code_verifier.") }
            return
        }
        guard let verifier else { throw .invalidGrant("code_verifier is missing.") }
        let isVerifier = (43...128).contains(verifier.utf8.count)
        guard isVerifier, Base64URL.text(Array(SHA256.hash(data: Array(verifier.utf8)))) == challenge else {
            throw .invalidGrant("code_verifier does not fit the code_challenge.")
        }
    }

    private func refresh(_ form: FormFields, _ client: String) async throws -> Response {
        guard let text = form["refresh_token"] else { throw OAuthRefusal.invalidRequest("refresh_token is missing.") }
        try await world.undergo(
            ledger.token(text, at: world.now())?.grant.visitor.person, slowness: slowness)
        let now = world.now()
        guard let token = ledger.token(text, at: now), token.kind == .refresh, token.grant.client == client else {
            throw OAuthRefusal.invalidGrant("The refresh token was revoked or never given out.")
        }
        var grant = token.grant
        grant.nonce = nil
        return OAuthAnswer.json(.object(try accessToken(for: grant, at: now)))
    }

    private func accessToken(for grant: Grant, at now: Instant) throws -> AuthJSONObject {
        let token = ledger.issue(.access, for: grant, until: now + Self.accessTokenLifetime)
        return [
            "access_token": .string(token), "token_type": "Bearer",
            "expires_in": .integer(Self.accessTokenLifetime.microseconds / 1_000_000),
            "scope": .string(grant.scopes.joined(separator: " ")),
            "id_token": .string(try idToken(for: grant, party: grant.client, accessToken: token)),
        ]
    }

    /// - Parameter party: The requesting client, which is not the audience for apps with a server.
    func idToken(for grant: Grant, party: String, accessToken: String) throws -> String {
        let now = world.now()
        var claims = Self.profile(of: grant)
        claims["iss"] = .string(registration.issuer)
        claims["azp"] = .string(party)
        claims["aud"] = .string(grant.client)
        claims["at_hash"] = .string(try keys.hash(of: accessToken))
        claims["iat"] = .integer(now.seconds)
        claims["exp"] = .integer((now + Self.idTokenLifetime).seconds)
        claims["nonce"] = world.nonce(of: grant).map(AuthJSON.string)
        return try keys.sign(claims)
    }

    static func profile(of grant: Grant) -> AuthJSONObject {
        let (visitor, person) = (grant.visitor, grant.visitor.person)
        var claims: AuthJSONObject = ["sub": .string(visitor.subject)]
        if grant.scopes.contains("email"), let email = visitor.email {
            claims["email"] = .string(email)
            claims["email_verified"] = .bool(visitor.isVerified)
        }
        if grant.scopes.contains("profile") {
            claims["name"] = .string(person.givenName + " " + person.familyName)
            claims["given_name"] = .string(person.givenName)
            claims["family_name"] = .string(person.familyName)
            claims["picture"] = .string("https://www.example.com/pictures/\(person.id).png")
        }
        return claims
    }
}
