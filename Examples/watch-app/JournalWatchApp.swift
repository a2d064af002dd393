import AuthenticationServices
import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

/// A watch app with its own session: it works without its phone. Link `GatehouseModel`; `GatehouseUI` is not for watches.
@main struct JournalWatchApp: App {
    @State private var account = AuthManager(
        url: "https://accounts.example.com", publishableKey: "sb_publishable_…")

    var body: some Scene { WindowGroup { JournalWatchView(account: account) } }
}

struct JournalWatchView: View {
    let account: AuthManager

    var body: some View {
        switch account.phase {
        case .restoring: ProgressView()
        case .authenticated, .refreshing: TodayView(account: account)
        case .unauthenticated, .authenticating, .secondFactorNeeded: SignInView(account: account)
        }
    }
}

struct TodayView: View {
    let account: AuthManager

    var body: some View {
        VStack {
            Text("Hello, \(account.user?.firstName ?? "you")!")
            Button("Sign Out") { Task { await account.signOut() } }
        }
    }
}

struct SignInView: View {
    let account: AuthManager
    @State private var nonce = SignInNonce()

    var body: some View {
        VStack {
            SignInWithAppleButton(.signIn) { request in
                nonce = SignInNonce()
                request.requestedScopes = [.fullName, .email]
                request.nonce = nonce.hashed
            } onCompletion: { result in
                Task { await signIn(result) }
            }
            if let error = account.error { Text(error.localizedDescription) }
        }
    }

    private func signIn(_ result: Result<ASAuthorization, any Error>) async {
        do throws(AuthError) {
            try await account.signInWithApple { try credential(result) }
        } catch {
            account.error = error
        }
    }

    private func credential(_ result: Result<ASAuthorization, any Error>) throws -> AppleCredential {
        do {
            guard let apple = try result.get().credential as? ASAuthorizationAppleIDCredential,
                let token = apple.identityToken
            else { throw AuthError.providerFailed }
            return AppleCredential(
                idToken: String(decoding: token, as: UTF8.self), nonce: nonce.raw, person: apple.user,
                firstName: apple.fullName?.givenName, lastName: apple.fullName?.familyName,
                authorizationCode: apple.authorizationCode.map { String(decoding: $0, as: UTF8.self) })
        } catch let error as ASAuthorizationError {
            throw error.code == .canceled ? AuthError.cancelled : AuthError.providerFailed
        }
    }
}
