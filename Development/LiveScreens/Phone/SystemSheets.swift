import AuthenticationServices
import DevStack
import Foundation
import Gatehouse
import GatehouseWire
import SwiftUI

@MainActor @Observable final class SystemSheets {
    struct Choice: Sendable {
        var person: String
        /// For the account with a typed address.
        var email: String?
    }

    let apple = OpenSheet<String, Choice>(closed: ASAuthorizationError(.canceled))
    let browser = OpenSheet<URL, URL>(closed: ASWebAuthenticationSessionError(.canceledLogin))
    let passkeys: PhonePasskeys
    /// About the last typed address.
    private(set) var problem: String?
    @ObservationIgnored private let server: URL
    @ObservationIgnored private let network: PhoneNetwork

    init(server: URL, network: PhoneNetwork) {
        (self.server, self.network) = (server, network)
        passkeys = PhonePasskeys(server: server)
    }

    func close() {
        apple.isOpen = false
        browser.isOpen = false
        passkeys.sheet.isOpen = false
    }

    /// Offers the accounts, and requests a credential from the simulated Apple.
    ///
    /// - Throws: `ASAuthorizationError`, `URLError` without a connection, or `CancellationError`.
    func authorize(_ request: ASAuthorizationAppleIDRequest) async throws -> ASAuthorization {
        problem = nil
        while true {
            let choice = try await apple.ask(request.nonce ?? "")
            do {
                return try await authorization(of: choice, request)
            } catch let typed as TypedWrongly {
                problem = typed.sentence
            }
        }
    }

    private struct TypedWrongly: Error {
        let sentence: String
    }

    private func authorization(
        of choice: Choice, _ request: ASAuthorizationAppleIDRequest
    ) async throws -> ASAuthorization {
        let credential = try await credential(of: choice, nonce: request.nonce)
        guard let user = credential["user"]?.stringValue, let token = credential["identityToken"]?.stringValue else {
            throw ASAuthorizationError(.invalidResponse)
        }
        let scopes = request.requestedScopes ?? []
        var name: PersonNameComponents?
        if scopes.contains(.fullName), let full = credential["fullName"] {
            var parts = PersonNameComponents()
            parts.givenName = full["givenName"]?.stringValue
            parts.familyName = full["familyName"]?.stringValue
            name = parts
        }
        let code = credential["authorizationCode"]?.stringValue
        return ASAuthorization(
            provider: request.provider,
            credential: ASAuthorizationAppleIDCredential(
                user: user, state: request.state, authorizedScopes: scopes,
                authorizationCode: code.map { Data($0.utf8) }, identityToken: Data(token.utf8),
                email: scopes.contains(.email) ? credential["email"]?.stringValue : nil, fullName: name))
    }

    private func credential(of choice: Choice, nonce: String?) async throws -> AuthJSON {
        var members: AuthJSONObject = ["person": .string(choice.person)]
        members["nonce"] = nonce.map(AuthJSON.string)
        members["email"] = choice.email.map(AuthJSON.string)
        let reply = try await network.send(
            HTTPCall(
                method: "POST", url: server.appending(path: "dev/apple/native-credential"),
                headers: ["content-type": "application/json"], body: Array(AuthJSON.object(members).text.utf8)))
        let answer = try JSONReader.read(reply.body)
        guard reply.status != 200 else { return answer }
        switch answer["error"]?.stringValue {
        case "user_cancelled_authorize": throw ASAuthorizationError(.canceled)
        case "invalid_request":
            throw TypedWrongly(sentence: answer["error_description"]?.stringValue ?? "Apple does not know this person.")
        default: throw ASAuthorizationError(.failed)
        }
    }
}
