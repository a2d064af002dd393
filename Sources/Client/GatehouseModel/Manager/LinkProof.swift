import Foundation
public import Gatehouse

/// Proof of the account in ``AuthManager/linkQuestion``, for ``AuthManager/Linking/confirm(_:)``.
public struct LinkProof {
    let method: AuthMethod
    let give: @MainActor (AuthManager, AuthLinkQuestion) async throws -> AuthSession

    /// The account's password.
    public static func password(_ password: String) -> LinkProof {
        LinkProof(method: .email) { manager, question in
            do {
                return try await manager.service.confirmLink(
                    question.ticket, email: question.email, password: password)
            } catch  where AuthError(error) == .secondFactorNeeded {
                let session = try await manager.service.signIn(email: question.email, password: password)
                return try await manager.linking.link(question, .email, with: session)
            }
        }
    }

    /// The code from ``AuthManager/Linking/sendCode()``, insufficient for an account with a second factor.
    ///
    /// An address's first proof sets its password and passkeys aside. ``AuthError/codeWrong`` keeps the question.
    public static func code(_ code: String) -> LinkProof {
        LinkProof(method: .email) { manager, question in
            try await manager.service.confirmLink(question.ticket, code: code)
        }
    }

    /// The code emailed after ``password(_:)`` threw ``AuthError/credentialSetAside(_:)``. Restores the password.
    public static func code(_ code: String, password: String) -> LinkProof {
        LinkProof(method: .email) { manager, question in
            let answer = try await manager.service.verify(
                code: code, sentTo: question.email, for: .email, password: password)
            return try await manager.linking.link(question, .email, with: try answer.opened)
        }
    }

    /// The code emailed after ``passkey(_:)`` threw ``AuthError/credentialSetAside(_:)``. Restores the passkey.
    public static func code(_ code: String, restoring ticket: AuthSetAsideTicket) -> LinkProof {
        signIn(.passkey) { try await $0.verify(code: code, restoring: ticket).opened }
    }

    /// Apple's sheet, as for ``AuthManager/signInWithApple(_:)``.
    public static func apple(_ sheet: @escaping @MainActor () async throws -> AppleCredential) -> LinkProof {
        LinkProof(method: .apple) { manager, question in
            let credentials = try await manager.names.credentials(from: sheet)
            let session = try await manager.service.signIn(with: credentials)
            return try await manager.linking.link(question, .apple, with: session)
        }
    }

    /// Google's own sheet, as for ``AuthManager/signInWithGoogle(_:)``.
    public static func google(_ sheet: @escaping @MainActor () async throws -> IDTokenCredentials) -> LinkProof {
        signIn(.google) { try await $0.signIn(with: try await sheet()) }
    }

    /// Any provider in a browser.
    public static func provider(_ provider: AuthProvider, in browser: any WebAuthenticator) -> LinkProof {
        signIn(AuthMethod(provider)) { try await $0.signIn(with: provider, in: browser) }
    }

    /// A passkey of the account. Requires `AuthLinkQuestion.canUsePasskey`.
    public static func passkey(_ passkeys: any PasskeyAuthenticator) -> LinkProof {
        signIn(.passkey) { service in
            let assertion = try await service.passkeyAssertion(with: passkeys, style: .sheet)
            return try await service.signIn(with: assertion)
        }
    }

    private static func signIn(
        _ method: AuthMethod, _ signIn: @escaping @MainActor (any AuthService) async throws -> AuthSession
    ) -> LinkProof {
        LinkProof(method: method) { manager, question in
            try await manager.linking.link(question, method, with: try await signIn(manager.service))
        }
    }
}

extension SessionOrUser {
    fileprivate var opened: AuthSession {
        get throws {
            guard let session else { throw AuthClientError.unexpectedAnswer("session.access_token: expected a string") }
            return session
        }
    }
}
