import Crypto
import Foundation
import GatehouseWire

// Providers without ID tokens: the access token's user is who the provider describes.
extension OpenIDProvider {
    /// Addresses in a user's list; the rest is ignored.
    private static let maximumEmails = 100

    func identity(
        of tokens: ProviderTokens, by oauth: OAuthDescription
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        guard let token = tokens.accessToken else { throw .unavailable(.tokens, .missing("access_token")) }
        let document = try await json(at: try proved(oauth.profile, token, oauth), token, oauth)
        guard document.objectValue != nil else { throw .unavailable(.userInfo, .unreadable) }
        var claims = oauth.claims.claims(of: document)
        guard let subject = claims["sub"]?.stringValue, (1...255).contains(subject.utf8.count) else {
            throw .rejected(.missingSubject)
        }
        if let emails = oauth.emails {
            let address = Self.address(in: try await json(at: emails.url, token, oauth), emails)
            claims["email"] = address.map { .string($0.email) }
            claims["email_verified"] = address.map { .bool($0.isVerified) }
        }
        return VerifiedIdentity(
            ProfileClaims(members: claims), subject: subject, issuer: settings.issuers[0], client: nil,
            settings: settings)
    }

    /// Calls a provider without ID tokens, which answers an unauthenticated request with an error.
    ///
    /// - Throws: ``ProviderFailure/unavailable(_:_:)`` without a response, or for a status of 404, or 500 and above.
    package func reach() async throws(ProviderFailure) {
        guard let profile = settings.oauth?.profile else { return }
        let response = try await caller.send(.get(profile, maximumBytes: ProviderLimits.answer), for: .userInfo)
        guard response.status < 500, response.status != 404 else {
            throw .unavailable(.userInfo, .status(response.status))
        }
    }

    /// The primary address; if the provider marks none, the first verified one, or else the first.
    private static func address(
        in document: AuthJSON, _ emails: OAuthDescription.EmailList
    ) -> (email: String, isVerified: Bool)? {
        let list = emails.list.map { $0.value(in: document) } ?? document
        let entries = (list?.arrayValue ?? []).prefix(maximumEmails).filter { emails.email.text(in: $0) != nil }
        let chosen =
            entries.first { emails.primary.isTrue(in: $0) } ?? entries.first { emails.verified.isTrue(in: $0) }
            ?? entries.first
        guard let chosen, let email = emails.email.text(in: chosen) else { return nil }
        return (email, emails.verified.isTrue(in: chosen))
    }

    private func json(
        at url: ProviderURL, _ token: Secret, _ oauth: OAuthDescription
    ) async throws(ProviderFailure) -> AuthJSON {
        let headers = oauth.headers.mapValues { $0.replacing("{client_id}", with: settings.clientIDs[0]) }
        let request = ProviderRequest.get(
            url, headers: headers, authorization: Secret("Bearer " + token.reveal()),
            maximumBytes: ProviderLimits.answer)
        let response = try await caller.send(request, for: .userInfo)
        // Ignored: the status takes precedence over faulty JSON.
        let document = try? JSONReader.read(response.body)
        try ProviderCaller.checkRefusal(response.status, document?.objectValue, for: .userInfo)
        guard let document else { throw .unavailable(.userInfo, .unreadable) }
        return document
    }

    /// The address with the proof that the caller knows the client secret, if the provider wants one.
    private func proved(
        _ url: ProviderURL, _ token: Secret, _ oauth: OAuthDescription
    ) throws(ProviderFailure) -> ProviderURL {
        guard let name = oauth.proofParameter, case .secret(let secret) = settings.credential else { return url }
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(token.reveal().utf8), using: SymmetricKey(data: Array(secret.reveal().utf8)))
        let separator = url.text.contains(ascii: "?") ? "&" : "?"
        guard let proved = ProviderURL("\(url.text)\(separator)\(name)=\(Array(code).hexadecimal)") else {
            throw .notOffered(.userInfo)
        }
        return proved
    }
}
