public import Foundation
import Gatehouse

extension AuthManager {
    /// Emails with codes and links.
    public nonisolated var mail: Mail { Mail(manager: self) }

    /// Requests emails, and opens their links. See ``AuthManager/mail``.
    public struct Mail: Sendable {
        let manager: AuthManager
    }
}

extension AuthManager.Mail {
    /// Emails a code and a link to sign in with, to a new or existing user. Does not reveal accounts.
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

    /// Sends a password reset email. Does not reveal accounts.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/emailDisabled`` if the server sends no email.
    public func sendPasswordReset(to email: String) async throws(AuthError) {
        do { try await manager.service.sendPasswordMail(to: email) } catch { throw AuthError(error) }
    }

    /// Sends a sign-up's confirmation email again. Does not reveal accounts.
    ///
    /// - Throws: As ``sendPasswordReset(to:)``.
    public func resendConfirmation(to email: String) async throws(AuthError) {
        do { try await manager.service.resendConfirmation(to: email) } catch { throw AuthError(error) }
    }

    /// Whether a URL is an emailed link, based on ``AuthManager/redirectTo``.
    public func isLink(_ url: URL) -> Bool { manager.redirectTo.map(url.isAnswer(to:)) ?? false }

    /// Completes an emailed link, which confirms an address or sets ``AuthManager/needsNewPassword``.
    ///
    /// `gatehouse(_:branding:)` of GatehouseUI calls it. Another account's link waits for
    /// ``AuthManager/switchQuestion``, or adds the account if ``AuthManager/allowsSeveralAccounts`` and no anonymous
    /// user would be lost.
    ///
    /// - Parameter url: A URL for which ``isLink(_:)`` is true.
    /// - Throws: ``AuthError``, such as ``AuthError/invalidCallback`` for a link that this device did not request;
    ///   ``AuthError/offline(_:)``, which keeps the link; ``AuthError/cancelled`` if the current user stays;
    ///   ``AuthError/alreadySignedIn`` without ``AuthManager/answersProofQuestions``.
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
