import Foundation
import Gatehouse
import GatehouseModel

/// Creates an account. Returns a text for the user, or nil on success.
@MainActor
func signUp(_ manager: AuthManager, email: String, password: String, firstName: String) async -> String? {
    do {
        switch try await manager.signUpWithEmail(email, password: password, firstName: firstName) {
        case .signedIn: return nil
        case .checkMail: return "We have sent you a mail."
        case .cancelled, .ignored: return nil
        }
    } catch {
        return SignInMessage(.email, error)?.text
    }
}

@MainActor
func signIn(_ manager: AuthManager, email: String, password: String) async -> String? {
    do {
        try await manager.signInWithEmail(email, password: password)
        return nil
    } catch {
        return SignInMessage(.email, error)?.text
    }
}

@MainActor
func signInWithGoogle(_ manager: AuthManager, in browser: any WebAuthenticator) async -> String? {
    do {
        try await manager.signInWithGoogle(in: browser)
        return nil
    } catch {
        return SignInMessage(.google, error)?.text
    }
}

/// The text of the linking screen; nil without a question.
@MainActor
func question(_ screen: LinkModel) -> String? {
    guard let question = screen.question else { return nil }
    return "\(question.email) has an account already. Sign in to it once more, and both will open it."
}

@MainActor
func headline(_ manager: AuthManager) -> String {
    switch manager.phase {
    case .restoring: ""
    case .unauthenticated: "Sign in to keep your journal"
    case .authenticating: "Signing in…"
    case .authenticated, .refreshing: "Hello, \(manager.user?.firstName ?? "you")!"
    }
}

/// The app's own fields of the profile.
struct Journal: Codable, Equatable {
    var mood: String?
}

/// Notes a mood. The rest of the profile stays unchanged.
@MainActor
func note(_ mood: String, _ manager: AuthManager) async {
    do {
        try await manager.updateProfile(data: Journal(mood: mood))
    } catch {
        // `manager.error` is the same error: a screen that shows it has shown this one.
    }
}

@MainActor
func scores(from api: URL, _ manager: AuthManager) async throws -> Data {
    var request = URLRequest(url: api)
    request.setValue("Bearer \(try await manager.accessToken())", forHTTPHeaderField: "Authorization")
    return try await URLSession.shared.data(for: request).0
}

func explain(_ state: AuthState) -> String {
    switch state {
    case .restoring: "The store does not answer yet, as on a locked phone. Nobody knows who is signed in."
    case .signedIn(let session, isFresh: true): "\(session.user.email ?? "Somebody") is signed in."
    case .signedIn(let session, isFresh: false):
        "\(session.user.email ?? "Somebody") is signed in; the next call refreshes the token."
    case .signedOut(.neverSignedIn): "A guest."
    case .signedOut(.requested): "Signed out by the person."
    case .signedOut(.consentRevoked): "The person has stopped using Sign in with Apple for this app."
    case .signedOut(.endedByServer(let code)): "The server ended the session: \(code)."
    case .signedOut(.signedOutElsewhere): "The app's widget, or another process of it, signed out."
    case .signedOut(.storeDamaged): "The store holds bytes that are no session."
    }
}
