public import Foundation
import GatehouseWire

extension GatehouseClient {
    /// Links a ``AuthLinkQuestion``'s identity to the signed-in account, after a sign-in to it by another method.
    ///
    /// - Returns: A new session of the account, or the previous one if only that one had the second factor.
    /// - Throws: `insufficient_aal` and `link_ticket_other_account`, after which the ticket stays valid;
    ///   `link_ticket_not_found`; `link_ticket_outdated`; `fresh_sign_in_required`.
    @discardableResult
    public func confirmLink(_ ticket: AuthLinkTicket) async throws -> AuthSession {
        try await signInAsUser(.linkTicket("link_confirmation", ticket))
    }

    /// Signs in with a password and links a ``AuthLinkQuestion``'s identity, in one transaction.
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
    /// - Throws: As ``confirmLink(_:)``, and `invalid_credentials`, after which the ticket stays valid. After
    ///   `insufficient_aal` sign in, verify the factor, then call ``confirmLink(_:)``.
    @discardableResult
    public func confirmLink(_ ticket: AuthLinkTicket, email: String, password: String) async throws -> AuthSession {
        try await signIn(
            .linkTicket("link_confirmation", ticket, ["email": .string(email), "password": .string(password)]))
    }

    /// Emails a code for ``confirmLink(_:code:)``, if ``AuthLinkQuestion/canMailCode`` is true.
    ///
    /// ```swift
    /// try await client.sendLinkCode(for: question.ticket)
    /// // The user reads the code in the mail.
    /// try await client.confirmLink(question.ticket, code: code)
    /// ```
    ///
    /// The code is valid until the question expires, and voids earlier ones.
    ///
    /// - Throws: `link_ticket_not_found`, `over_email_send_rate_limit`, `email_provider_disabled`; `validation_failed`
    ///   if the account has another address.
    public func sendLinkCode(for ticket: AuthLinkTicket) async throws {
        _ = try await caller.send(AuthRequest("POST", "/link/code", body: ["link_ticket": .string(ticket.text)]))
    }

    /// Signs in with the code of ``sendLinkCode(for:)`` and links the identity, in one transaction. If this first
    /// proves the account's address, earlier credentials are set aside (``AuthUser/setAside``).
    ///
    /// - Throws: As ``confirmLink(_:)``; `otp_expired` or, after too many wrong codes, `over_request_rate_limit`. The
    ///   ticket stays valid after both.
    @discardableResult
    public func confirmLink(_ ticket: AuthLinkTicket, code: String) async throws -> AuthSession {
        try await signIn(.linkTicket("link_confirmation", ticket, ["token": .string(code.withASCIIDigits)]))
    }

    /// Moves a ``AuthLinkQuestion``'s address to a new account and signs in there, if ``AuthLinkQuestion/canRecover``
    /// is true. The old account keeps everything else; its password still signs in with the address.
    ///
    /// - Throws: As ``confirmLink(_:)``, and `link_not_recoverable`, after which the ticket stays valid.
    @discardableResult
    public func recoverAccount(with ticket: AuthLinkTicket) async throws -> AuthSession {
        try await signIn(.linkTicket("link_recovery", ticket))
    }

    /// Returns the last 30 days' links that can be undone, newest first.
    ///
    /// - Throws: `refused` with status 404 by hosted Supabase.
    public func undoableLinks() async throws -> [AuthUndoableLink] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/user/identities/undoable"), bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in try AuthUndoableLink.list(json: json) }
        }
    }

    /// Undoes a link and all its changes, and ends the sessions that the identity opened. The identity is then another
    /// person's.
    ///
    /// - Parameter identityID: The ``AuthUndoableLink/id``.
    /// - Returns: The account without the identity.
    /// - Throws: `link_not_undoable`, `identity_not_found`, `single_identity_not_deletable`, `fresh_sign_in_required`.
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
    /// Stores the returned session as ``adopt(_:begun:insteadOf:)`` does.
    func signInAsUser(_ request: AuthRequest) async throws -> AuthSession {
        let begun = try await coordinator.beginSignIn()
        let timed = try await asUser { token, _ in try await self.caller.session(request, bearer: token) }
        return try await adopt(timed, begun: begun, insteadOf: await currentSession)
    }

    /// Stores a session returned by a change of the account, and ends the previous one. If only that had the second
    /// factor, keeps it with the changed user.
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
