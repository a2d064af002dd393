public import Foundation
import GatehouseWire

// Answers to a ``AuthLinkQuestion``, and undoing links. Hosted Supabase has neither.
extension GatehouseClient {
    /// Links the identity of a ``AuthLinkQuestion`` to the signed-in account. Use it after a sign-in to that account with
    /// another provider.
    ///
    /// - Returns: A new session of the same account; the previous one if only that one had the second factor.
    /// - Throws: ``AuthClientError``. The previous session stays active. Codes: `insufficient_aal` for an account with a
    ///   second factor that the session has not proven, after which the ticket stays valid; `link_ticket_other_account` if the
    ///   question concerns another account, after which the ticket stays valid; `link_ticket_not_found` if the ticket
    ///   is used or expired; `link_ticket_outdated` if no account has the address any longer; `fresh_sign_in_required`
    ///   if the server requires a recent sign-in.
    @discardableResult
    public func confirmLink(_ ticket: AuthLinkTicket) async throws -> AuthSession {
        try await signInAsUser(.linkTicket("link_confirmation", ticket))
    }

    /// Signs in with a password and links the identity of a ``AuthLinkQuestion`` to that account, in one transaction.
    ///
    /// ```swift
    /// do {
    ///     try await client.signInWithIdToken(credentials: credentials)
    /// } catch let error as AuthClientError {
    ///     guard let question = error.linkQuestion else { throw error }
    ///     try await client.confirmLink(question.ticket, email: question.email, password: password)
    /// }
    /// ```
    ///
    /// - Returns: A session of that account.
    /// - Throws: As ``confirmLink(_:)``, and `invalid_credentials`, after which the ticket stays valid. An account with a
    ///   second factor is always refused with `insufficient_aal`: sign in, verify the factor, then call
    ///   ``confirmLink(_:)``.
    @discardableResult
    public func confirmLink(_ ticket: AuthLinkTicket, email: String, password: String) async throws -> AuthSession {
        try await signIn(
            .linkTicket("link_confirmation", ticket, ["email": .string(email), "password": .string(password)]))
    }

    /// Mails a code to the address of a ``AuthLinkQuestion``, if ``AuthLinkQuestion/canMailCode`` is true. The user confirms the
    /// link by passing it to ``confirmLink(_:code:)``.
    ///
    /// ```swift
    /// try await client.sendLinkCode(for: question.ticket)
    /// // The user reads the code in the mail.
    /// try await client.confirmLink(question.ticket, code: code)
    /// ```
    ///
    /// The code is valid until the question expires, and voids an earlier one.
    ///
    /// - Throws: ``AuthClientError``. Codes: `link_ticket_not_found` if the ticket is used or expired;
    ///   `over_email_send_rate_limit`; `email_provider_disabled` if the server sends no mail; `validation_failed` if the
    ///   account has another address.
    public func sendLinkCode(for ticket: AuthLinkTicket) async throws {
        _ = try await caller.send(AuthRequest("POST", "/link/code", body: ["link_ticket": .string(ticket.text)]))
    }

    /// Signs in with the code of ``sendLinkCode(for:)`` and links the identity of a ``AuthLinkQuestion`` to the account, in one
    /// transaction. If this is the first proof of the account's address, credentials that were added without a proof are set
    /// aside (``AuthUser/setAside``).
    ///
    /// - Returns: A session of that account.
    /// - Throws: As ``confirmLink(_:)``, and `otp_expired` for a wrong, used or expired code; `over_request_rate_limit`
    ///   after too many. The ticket stays valid after both.
    @discardableResult
    public func confirmLink(_ ticket: AuthLinkTicket, code: String) async throws -> AuthSession {
        try await signIn(.linkTicket("link_confirmation", ticket, ["token": .string(code.withASCIIDigits)]))
    }

    /// Starts over: moves the address of a ``AuthLinkQuestion`` to a new account, if ``AuthLinkQuestion/canRecover`` is true.
    /// The account that had it keeps its data, sign-in methods, factors and sessions; its password still signs in with
    /// the former address.
    ///
    /// - Returns: A session of the new account.
    /// - Throws: As ``confirmLink(_:)``, and `link_not_recoverable` if the address cannot be moved any more, after
    ///   which the ticket stays valid.
    @discardableResult
    public func recoverAccount(with ticket: AuthLinkTicket) async throws -> AuthSession {
        try await signIn(.linkTicket("link_recovery", ticket))
    }

    /// Returns the links of the last 30 days that can be undone completely, newest first.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `refused` with status 404 if the server does not
    ///   support this.
    public func undoableLinks() async throws -> [AuthUndoableLink] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/user/identities/undoable"), bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in try AuthUndoableLink.list(json: json) }
        }
    }

    /// Undoes a link and everything that it changed. Ends the sessions that the identity opened. From then on the
    /// identity counts as another person's.
    ///
    /// - Parameter identityID: The ``AuthUndoableLink/id`` of the link.
    /// - Returns: The account without the identity.
    /// - Throws: ``AuthClientError``. Codes: `link_not_undoable` if the identity was not linked or too long ago;
    ///   `identity_not_found` if the account does not have it; `single_identity_not_deletable` for the last sign-in
    ///   method; `fresh_sign_in_required` if the server requires a recent sign-in.
    @discardableResult
    public func undoLink(identityID: UUID) async throws -> AuthUser {
        let path = "/user/identities/\(identityID.uuidString.lowercased())/undo"
        return try await asUser { token, epoch in
            let left = try await self.caller.user(AuthRequest("POST", path), bearer: token)
            await self.coordinator.replace(left, startedIn: epoch, event: .userUpdated)
            await self.coordinator.forgetWindow(startedIn: epoch)
            return left
        }
    }
}

extension GatehouseClient {
    /// Makes the call with the session's access token, and stores the session that it returns, as
    /// ``adopt(_:begun:insteadOf:)`` does.
    func signInAsUser(_ request: AuthRequest) async throws -> AuthSession {
        let begun = try await coordinator.beginSignIn()
        let timed = try await asUser { token, _ in try await self.caller.session(request, bearer: token) }
        return try await adopt(timed, begun: begun, insteadOf: await currentSession)
    }

    /// Stores the session with which the server answers a change of the account, and ends the same user's previous one. If
    /// only the previous one had the second factor, keeps it with the changed user, and ends the new one.
    func adopt(_ timed: TimedAnswer, begun: Int, insteadOf old: AuthSession?) async throws -> AuthSession {
        if let old, old.user.id == timed.answer.user.id, AccessTokenClaims(old.accessToken)?.level == .aal2,
            AccessTokenClaims(timed.answer.accessToken)?.level != .aal2
        {
            return try await keepLevel(timed.answer)
        }
        let session = try await coordinator.adopt(timed, begun: begun)
        retire(old, for: session)
        return session
    }

    /// Takes the user of a session, and ends the session.
    private func keepLevel(_ answer: AuthSessionAnswer) async throws -> AuthSession {
        await end(answer)
        guard let (user, epoch) = await coordinator.owner(), user.id == answer.user.id else {
            throw await coordinator.overtaken
        }
        await coordinator.replace(answer.user, startedIn: epoch, event: .userUpdated)
        await coordinator.forgetWindow(startedIn: epoch)
        return try await session
    }
}

extension AuthRequest {
    fileprivate static func linkTicket(
        _ grant: String, _ ticket: AuthLinkTicket, _ further: [String: AuthJSON?] = [:]
    ) -> AuthRequest {
        var body = further
        body["link_ticket"] = .string(ticket.text)
        return AuthRequest("POST", "/token", query: [("grant_type", grant)], body: body)
    }
}
