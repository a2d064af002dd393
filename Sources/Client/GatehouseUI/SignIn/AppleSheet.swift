import AuthenticationServices
import Foundation
import GatehouseModel
import SwiftUI

/// Makes the button's callbacks one async call.
@MainActor final class AppleSheet {
    private var nonce = SignInNonce()
    private var answer: Result<AppleAnswer, any Error>?
    private var waiting: CheckedContinuation<AppleAnswer, any Error>?

    /// A nonce binds the token to this sheet.
    func prepare(_ request: ASAuthorizationAppleIDRequest) {
        nonce = SignInNonce()
        answer = nil
        request.requestedScopes = [.fullName, .email]
        request.nonce = nonce.hashed
    }

    func finish(_ result: Result<ASAuthorization, any Error>) {
        end(Result { try AppleAnswer(try result.get().credential) })
    }

    private func end(_ answer: Result<AppleAnswer, any Error>) {
        if let waiting {
            self.waiting = nil
            waiting.resume(with: answer)
        } else {
            self.answer = answer
        }
    }

    /// - Throws: ``AuthError``, `URLError` without a connection, or `CancellationError`.
    func credential() async throws -> AppleCredential {
        try await read {
            if let answer {
                // A token is returned only once.
                self.answer = nil
                return try answer.get()
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiting = $0 }
            } onCancel: {
                Task { @MainActor in self.end(.failure(CancellationError())) }
            }
        }
    }

    /// Shows a sheet without the button, for a retry.
    func credential(through controller: AuthorizationController) async throws -> AppleCredential {
        let request = ASAuthorizationAppleIDProvider().createRequest()
        prepare(request)
        return try await read {
            guard case .appleID(let credential) = try await controller.performRequest(request) else {
                throw AuthError.providerFailed
            }
            return try AppleAnswer(credential)
        }
    }

    private func read(_ sheet: @MainActor () async throws -> AppleAnswer) async throws -> AppleCredential {
        do {
            let answer = try await sheet()
            return AppleCredential(
                idToken: answer.token, nonce: nonce.raw, person: answer.person, firstName: answer.name?.givenName,
                lastName: answer.name?.familyName, authorizationCode: answer.code)
        } catch let error as ASAuthorizationError {
            throw error.code == .canceled ? AuthError.cancelled : AuthError.providerFailed
        }
    }
}

private struct AppleAnswer: Sendable {
    let token: String
    let person: String
    let name: PersonNameComponents?
    let code: String?

    /// - Throws: ``AuthError/providerFailed`` for another kind of credential, or without a token.
    init(_ credential: any ASAuthorizationCredential) throws {
        guard let credential = credential as? ASAuthorizationAppleIDCredential,
            let token = credential.identityToken.flatMap({ String(data: $0, encoding: .utf8) })
        else { throw AuthError.providerFailed }
        self.token = token
        person = credential.user
        name = credential.fullName
        code = credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) }
    }
}
