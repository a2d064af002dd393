import Foundation
import Gatehouse
import GatehouseUI

/// Creates an account. Returns a text for the user, or nil on success.
@MainActor
func signUp(_ account: AuthManager, email: String, password: String, firstName: String) async -> String? {
    do {
        switch try await account.signUpWithEmail(email, password: password, firstName: firstName) {
        case .signedIn: return nil
        case .checkMail: return "We have sent you a mail."
        case .secondFactorNeeded: return "Enter the code of your authenticator app."
        case .cancelled, .ignored, .formNeeded, .applePreferred: return nil
        }
    } catch {
        return SignInMessage(.email, error)?.localized
    }
}

@MainActor
func signIn(_ account: AuthManager, email: String, password: String) async -> String? {
    do {
        try await account.signInWithEmail(email, password: password)
        return nil
    } catch {
        return SignInMessage(.email, error)?.localized
    }
}

@MainActor
func signInWithGoogle(_ account: AuthManager, in browser: any WebAuthenticator) async -> String? {
    do {
        try await account.signInWithGoogle(in: browser)
        return nil
    } catch {
        return SignInMessage(.google, error)?.text
    }
}

/// The text of the linking screen; nil without a question.
@MainActor
func question(_ link: LinkModel) -> String? {
    guard let question = link.question else { return nil }
    return "\(question.email) has an account already. Sign in to it once more, and both will open it."
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
    case .signedOut(.endedByServer(let code, let why)): "The server ended it: \(why?.rawValue ?? code.rawValue)."
    case .signedOut(.signedOutElsewhere): "The app's widget, or another process of it, signed out."
    case .signedOut(.storeDamaged): "The store holds bytes that are no session."
    }
}
