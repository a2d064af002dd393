public import Foundation
import Gatehouse

extension AuthManager {
    /// Mails with codes and links.
    public nonisolated var mail: Mail { Mail(manager: self) }

    /// Mails with codes and links. See ``AuthManager/mail``.
    public struct Mail: Sendable {
        let manager: AuthManager
    }
}

extension AuthManager.Mail {
    /// Sends a mail with a code and a link to sign in with, to a new or an existing user. Does not reveal whether the
    /// address has an account.
    ///
    /// ```swift
    /// try await account.mail.sendSignIn(to: email)
    /// // The user reads the code in the mail.
    /// try await account.signIn(withCode: code, sentTo: email)
    /// ```
    ///
    /// - Throws: As ``sendPasswordReset(to:)``.
    public func sendSignIn(to email: String) async throws(AuthError) {
        do { try await manager.service.sendSignInMail(to: email) } catch { throw AuthError(error) }
    }

    /// Sends the mail for a password reset. Does not reveal whether the address has an account.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/emailDisabled`` if the server sends no mail. ``SignInMessage`` has a text
    ///   for each.
    public func sendPasswordReset(to email: String) async throws(AuthError) {
        do { try await manager.service.sendPasswordMail(to: email) } catch { throw AuthError(error) }
    }

    /// Sends the confirmation mail of a sign-up again. Does not reveal whether one is pending.
    ///
    /// - Throws: As ``sendPasswordReset(to:)``.
    public func resendConfirmation(to email: String) async throws(AuthError) {
        do { try await manager.service.resendConfirmation(to: email) } catch { throw AuthError(error) }
    }

    /// Whether a URL that opened the app is the link of a mail: ``AuthManager/redirectTo`` with further values.
    public func isLink(_ url: URL) -> Bool { manager.redirectTo.map(url.isAnswer(to:)) ?? false }

    /// Completes the link of a mail, which confirms an address or allows setting a password
    /// (``AuthManager/needsNewPassword``). `gatehouse(_:branding:)` of GatehouseUI does this itself.
    ///
    /// A link for another account than the signed-in one sets ``AuthManager/switchQuestion``, and waits for its answer. With
    /// ``AuthManager/allowsSeveralAccounts`` it adds the account without a question, unless an anonymous user would be lost.
    ///
    /// - Parameter url: A URL for which ``isLink(_:)`` is true.
    /// - Throws: ``AuthError``, such as ``AuthError/invalidCallback`` for a link that this device did not request. After
    ///   ``AuthError/offline(_:)`` the link can be used again. ``AuthError/cancelled`` if the signed-in user stays;
    ///   ``AuthError/alreadySignedIn`` if no screen can ask the user (``AuthManager/answersProofQuestions``).
    public func openLink(_ url: URL) async throws(AuthError) {
        let manager = manager
        do {
            try await manager.service.openMailLink(url) { await manager.wantsSwitch(to: $0) }
        } catch {
            let failure = AuthError(error)
            let couldAsk = await manager.couldAskForSwitch
            throw failure == .cancelled && !Task.isCancelled && !couldAsk ? .alreadySignedIn : failure
        }
    }
}
