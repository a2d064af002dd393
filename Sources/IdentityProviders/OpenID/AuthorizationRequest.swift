import Crypto
package import GatehouseWire

/// What ties one sign-in in a browser together, besides the state that the caller keeps: the code verifier that
/// only we know (RFC 7636 §4.1) and the nonce that the ID token has to repeat.
package struct AuthorizationSecrets: Sendable {
    /// 43 characters.
    package let verifier: Secret
    /// 43 characters. Goes through the browser, so it is no secret.
    package let nonce: String
    /// S256 of the verifier (RFC 7636 §4.2).
    package let codeChallenge: String

    /// - Parameter randomBytes: A cryptographic source.
    package init(randomBytes: (Int) -> [UInt8]) {
        let text = Base64URL.text(randomBytes(32))
        verifier = Secret(text)
        nonce = Base64URL.text(randomBytes(32))
        codeChallenge = Base64URL.text(Array(SHA256.hash(data: Array(text.utf8))))
    }
}

/// A sign-in in a browser, as it begins.
package struct AuthorizationRequest: Sendable {
    /// Whatever finds the flow again: unguessable, used once, bound to browser and provider by whoever keeps it.
    package var state: String
    package var nonce: String
    package var codeChallenge: String
    /// Ours, where the provider sends the browser back.
    package var redirectURL: String
    /// The app's own wishes, besides the provider's usual ones.
    package var scopes: [String]
    /// Parameters that the app wants to pass on, such as `login_hint`. Of several with one name the first counts.
    package var extra: [(name: String, value: String)]

    package init(
        state: String, secrets: AuthorizationSecrets, redirectURL: String, scopes: [String] = [],
        extra: [(name: String, value: String)] = []
    ) {
        self.state = state
        nonce = secrets.nonce
        codeChallenge = secrets.codeChallenge
        self.redirectURL = redirectURL
        self.scopes = scopes
        self.extra = extra
    }
}

extension AuthorizationRequest {
    /// What callers do not get to say, in lower case: it would replace what we say, or is said to us and is nobody's
    /// business there.
    private static let reserved: Set<ExternalName> = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type", "redirect_uri", "response_type",
        "response_mode", "state", "nonce", "scope", "code_challenge", "code_challenge_method", "code_verifier",
        "request", "request_uri", "registration", "provider", "scopes", "invite_token", "redirect_to",
        "skip_http_redirect", "apikey", "authorization", "access_token", "refresh_token", "id_token", "provider_token",
        "provider_refresh_token", "jwt", "token", "token_hash", "password", "code", "grant_type", "link_ticket",
        "link_identity",
    ]

    /// What is passed on: at most 16 parameters of at most 1,024 bytes, the first in order of their names.
    static func passable(_ extra: [(name: String, value: String)]) -> [ExternalName: String] {
        var first: [ExternalName: String] = [:]
        for (name, value) in extra where (1...64).contains(name.utf8.count) {
            let name = ExternalName(trusted: name)
            if first[name] == nil { first[name] = value }
        }
        let allowed = first.filter { name, value in
            !reserved.contains(ExternalName(trusted: name.text.lowercased())) && value.utf8.count <= 1_024
        }
        return Dictionary(uniqueKeysWithValues: allowed.sorted { $0.key < $1.key }.prefix(16).map { ($0, $1) })
    }

    /// The words of a scope (RFC 6749 §3.3), each once, 32 at most.
    static func words(_ usual: [String], _ wishes: [String]) -> [String] {
        var seen: Set<ExternalName> = []
        let words = wishes.flatMap { wish in
            wish.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }.map { String(Substring($0)) }
        }
        let valid = words.filter { word in
            (1...256).contains(word.utf8.count)
                && word.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        return (usual + valid).filter { seen.insert(ExternalName(trusted: $0)).inserted }.prefix(32).map(\.self)
    }
}

extension OpenIDProvider {
    /// Where to send the browser. Parameters stand in the order of their names.
    ///
    /// Apple is asked for what Apple needs and gets nothing else: it answers with a form post when name and address
    /// are wanted.
    package func authorizationURL(_ request: AuthorizationRequest) async throws(ProviderFailure) -> String {
        guard settings.offersBrowserSignIn else { throw .notOffered(.authorization) }
        guard let endpoint = try await metadata().authorization else { throw .notOffered(.authorization) }
        let isApple = settings.kind == .apple
        var parameters = isApple ? [:] : AuthorizationRequest.passable(request.extra)
        for (name, value) in settings.authorizationParameters { parameters[ExternalName(trusted: name)] = value }
        parameters["client_id"] = settings.clientIDs[0]
        parameters["redirect_uri"] = request.redirectURL
        parameters["response_type"] = "code"
        parameters["state"] = request.state
        parameters["scope"] =
            AuthorizationRequest.words(settings.scopes, isApple ? [] : request.scopes).joined(separator: " ")
        if isApple { parameters["response_mode"] = "form_post" }
        if settings.asksForIDToken { parameters["nonce"] = request.nonce }
        if settings.usesPKCE {
            parameters["code_challenge"] = request.codeChallenge
            parameters["code_challenge_method"] = "S256"
        }
        let separator = endpoint.text.contains(ascii: "?") ? "&" : "?"
        return endpoint.text + separator + FormText.query(parameters)
    }

    /// Checks who answers in the callback, against answers of one provider taken to another (RFC 9207 §2.4).
    ///
    /// - Parameter issuer: The callback's `iss`, if it has one.
    package func checkCallback(issuer: String?) async throws(ProviderFailure) {
        let metadata = try await metadata()
        guard let issuer else {
            if metadata.namesItselfInCallbacks { throw .rejected(.foreignIssuer) }
            return
        }
        guard issuer == metadata.issuer || settings.issuers.contains(issuer) else { throw .rejected(.foreignIssuer) }
    }
}
