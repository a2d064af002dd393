package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension FlowStore {
    /// Issues an authorization code for another session of the account, in the app with the proof key. The new session
    /// inherits the age, identity and second factors of the caller's, which must still be active; if that one rises
    /// before redemption, the code opens nothing.
    ///
    /// - Parameters:
    ///   - method: For the new session's `amr`.
    ///   - session: As it was when the caller's tokens were checked.
    /// - Returns: nil if the session has ended, or the account is gone or banned.
    package func handOver(
        _ user: UserID, by method: AuthenticationMethod, to key: ProofKey, session: Session, at now: Instant
    ) async throws -> Secret? {
        let id: Identifier<AuthorizationCode> = accounts.newID()
        return try await database.write { db in
            guard try accounts.mayChange(user, session: session.id.text, at: now, in: db) else { return nil }
            let identity: IdentityID? =
                try db.row("SELECT identity_id FROM sessions WHERE id = \(session.id)") { $0.idIfPresent() } ?? nil
            let code = AuthorizationCode(
                user: user, identity: identity, method: method, key: key, provider: nil, rule: "account_pages",
                content: .handover(from: session.id, levelCounter: session.levelCounter), handout: nil)
            try insert(code, code: Secret(id.text), at: now, in: db)
            return Secret(id.text)
        }
    }
}
