#if canImport(AuthenticationServices)
import AuthenticationServices
import Gatehouse
import GatehouseModel
import SwiftUI

struct AccountView: View {
    let manager: AuthManager
    @State private var screen: LoginModel
    @State private var link: LinkModel

    init(manager: AuthManager) {
        self.manager = manager
        _screen = State(initialValue: LoginModel(manager: manager))
        _link = State(initialValue: LinkModel(manager: manager))
    }

    var body: some View {
        switch manager.phase {
        case .restoring: ProgressView()
        case .unauthenticated, .authenticating:
            if link.question == nil { SignInView(screen: screen) } else { LinkView(screen: link) }
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
            GoogleButton(screen: screen)
            TextField("Email", text: $screen.form.email).textContentType(.username)
            SecureField("Password", text: $password).textContentType(.password)
            if let message = screen.message { Text(message.text) }
            Button("Sign In") { screen.submit(password: password) }
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
            screen.signInWithApple { try credential(result) }
        }
    }

    private func credential(_ result: Result<ASAuthorization, any Error>) throws -> AppleCredential {
        do {
            guard let apple = try result.get().credential as? ASAuthorizationAppleIDCredential,
                let token = apple.identityToken
            else { throw SignInFailure.providerFailed }
            return AppleCredential(
                idToken: String(decoding: token, as: UTF8.self), nonce: nonce.raw, person: apple.user,
                firstName: apple.fullName?.givenName, lastName: apple.fullName?.familyName,
                authorizationCode: apple.authorizationCode.map { String(decoding: $0, as: UTF8.self) })
        } catch ASAuthorizationError.canceled {
            throw SignInFailure.cancelled
        } catch is ASAuthorizationError {
            throw SignInFailure.providerFailed
        }
    }
}

struct GoogleButton: View {
    let screen: LoginModel

    var body: some View {
        Button("Sign in with Google") {
            let browser = SystemWebAuthentication(redirectTo: URL(string: "com.example.boxscore://callback")!) {
                // The app's window; any will do for an app with one.
                ASPresentationAnchor()
            }
            screen.signIn(with: .google, in: browser)
        }
    }
}

struct LinkView: View {
    let screen: LinkModel
    @State private var password = ""

    var body: some View {
        Form {
            Text(question(screen) ?? "")
            if screen.methods.contains(.email) {
                SecureField("Password", text: $password).textContentType(.password)
                Button("Sign In") { screen.confirm(password: password) }
            }
            if let message = screen.message { Text(message.text) }
            if let warning = screen.warning {
                Text(warning)
                Button("Delete It", role: .destructive) { screen.recover() }
            } else if screen.canRecover {
                Button("That Is Not My Account") { screen.askToRecover() }
            }
            Button("Cancel", role: .cancel) { screen.dismiss() }
        }
    }
}
#endif
