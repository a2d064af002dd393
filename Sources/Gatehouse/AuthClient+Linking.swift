public import Foundation

// Answers to a ``LinkQuestion``, and links that are taken back. Hosted Supabase has neither: it asks no such question.
extension AuthClient {
    /// Adds the identity of a ``LinkQuestion`` to the account that is signed in.
    ///
    /// - Returns: A new session of the same account.
    /// - Throws: ``AuthClientError``, whoever was signed in still is: `link_ticket_other_account` when the question is
    ///   about another account, and the ticket stays good; `link_ticket_not_found` when it was used or has expired;
    ///   `link_ticket_outdated` when nobody has the address any more.
    @discardableResult
    public func confirmLink(_ ticket: LinkTicket) async throws -> Session {
        try await signInAsUser(.linkTicket("link_confirmation", ticket))
    }

    /// Signs in with a password, and adds the identity of a ``LinkQuestion`` to that account: both or neither.
    ///
    /// - Throws: As ``confirmLink(_:)``, and `invalid_credentials`, after which the ticket stays good.
    @discardableResult
    public func confirmLink(_ ticket: LinkTicket, email: String, password: String) async throws -> Session {
        try await signIn(
            .linkTicket("link_confirmation", ticket, ["email": .string(email), "password": .string(password)]))
    }

    /// Takes the address of a ``LinkQuestion`` with a new account, where ``LinkQuestion/canRecover`` says that nobody
    /// has proven it. What belonged to the account that had it is gone then, for good.
    ///
    /// - Returns: A session of the new account.
    /// - Throws: As ``confirmLink(_:)``, and `link_not_recoverable` when its owner has proven it meanwhile; the ticket
    ///   stays good then.
    @discardableResult
    public func recoverAccount(with ticket: LinkTicket) async throws -> Session {
        try await signIn(.linkTicket("link_recovery", ticket))
    }

    /// What was linked in the last 30 days and can be taken back whole, the newest first.
    ///
    /// - Throws: ``AuthClientError``, `refused` with status 404 by a server that has no such list.
    public func undoableLinks() async throws -> [UndoableLink] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/user/identities/undoable"), bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in try UndoableLink.list(json: json) }
        }
    }

    /// Takes a link back, with everything that it changed. Sessions that the identity opened end; from then on it is
    /// taken for another person's.
    ///
    /// - Throws: ``AuthClientError``, `link_not_undoable` when it is no link or too old, and
    ///   `single_identity_not_deletable` for the last way to sign in.
    @discardableResult
    public func undoLink(identityID: UUID) async throws -> User {
        let path = "/user/identities/\(identityID.uuidString.lowercased())/undo"
        return try await asUser { token, epoch in
            let left = try await self.caller.user(AuthRequest("POST", path), bearer: token)
            await self.coordinator.replace(left, startedIn: epoch, event: .userUpdated)
            await self.coordinator.forgetWindow(startedIn: epoch)
            return left
        }
    }
}

extension AuthRequest {
    fileprivate static func linkTicket(
        _ grant: String, _ ticket: LinkTicket, _ further: [String: AnyJSON?] = [:]
    ) -> AuthRequest {
        var body = further
        body["link_ticket"] = .string(ticket.text)
        return AuthRequest("POST", "/token", query: [("grant_type", grant)], body: body)
    }
}
