#if canImport(AuthenticationServices)
import AuthenticationServices
import Gatehouse
import GatehouseModel
import SwiftUI

struct AccountView: View {
    let manager: AuthManager
    @State private var screen: LoginModel

    init(manager: AuthManager) {
        self.manager = manager
        _screen = State(initialValue: LoginModel(manager: manager))
    }

    var body: some View {
        switch manager.phase {
        case .restoring: ProgressView()
        case .unauthenticated, .authenticating: SignInView(screen: screen)
        case .authenticated, .refreshing:
            Text(headline(manager))
            Button("Sign Out") { Task { await manager.signOut() } }
        }
    }
}

struct SignInView: View {
    @Bindable var screen: LoginModel
    @State private var password = ""

    var body: some View {
        Form {
            AppleButton(screen: screen)
            TextField("Email", text: $screen.form.email).textContentType(.username)
            SecureField("Password", text: $password).textContentType(.password)
            if let message = screen.message { Text(message.text) }
            Button("Sign In") { Task { await screen.submit(password: password) } }
        }
    }
}

struct AppleButton: View {
    let screen: LoginModel
    @State private var nonce = SignInNonce()

    var body: some View {
        SignInWithAppleButton(.signIn) { request in
            nonce = SignInNonce()
            request.requestedScopes = [.fullName, .email]
            request.nonce = nonce.hashed
        } onCompletion: { result in
            Task { await screen.signInWithApple { try credential(result) } }
        }
    }

    private func credential(_ result: Result<ASAuthorization, any Error>) throws -> AppleCredential {
        do {
            guard let apple = try result.get().credential as? ASAuthorizationAppleIDCredential,
                let token = apple.identityToken
            else { throw SignInFailure.providerFailed }
            return AppleCredential(
                idToken: String(decoding: token, as: UTF8.self), nonce: nonce.raw, person: apple.user,
                firstName: apple.fullName?.givenName)
        } catch ASAuthorizationError.canceled {
            throw SignInFailure.cancelled
        } catch is ASAuthorizationError {
            throw SignInFailure.providerFailed
        }
    }
}
#endif
