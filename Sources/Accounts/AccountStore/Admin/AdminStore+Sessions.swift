package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension AdminStore {
    /// Ends every session, and deletes pending authorization codes and a pending change of address.
    ///
    /// - Returns: The number of sessions; nil if the account does not exist.
    package func endSessions(of user: UserID, byAdministratorOn device: Device, at now: Instant) async throws -> Int? {
        try await accounts.sessions.revoking(at: now) { db -> Int? in
            guard let account = try db.account(user) else { return nil }
            let end = SessionEnd.byAdministrator(.signedOutEverywhere, from: device)
            let count = try accounts.sessions.endSessions(where: "user_id = \(user)", end, at: now, in: db)
            try db.voidCodes(of: user)
            try db.endChanges(of: user, at: now)
            let traits: AuthJSONObject = ["scope": "global", "sessions": .integer(Int64(count))]
            try accounts.record([Self.adminEntry(.logout, account.user, traits, from: device)], at: now, in: db)
            return count
        }
    }

    /// Ends one session, and a pending change of address, which it may have begun.
    ///
    /// - Returns: Whether the user had this session; nil if the account does not exist.
    package func endSession(
        _ id: SessionID, of user: UserID, byAdministratorOn device: Device, at now: Instant
    ) async throws -> Bool? {
        try await accounts.sessions.revoking(at: now) { db -> Bool? in
            guard let account = try db.account(user) else { return nil }
            let end = SessionEnd.byAdministrator(.signedOut, from: device)
            guard
                try accounts.sessions.endSessions(where: "id = \(id) AND user_id = \(user)", end, at: now, in: db) == 1
            else {
                return false
            }
            try db.endChanges(of: user, at: now)
            let traits: AuthJSONObject = ["session_id": .string(id.text)]
            try accounts.record([Self.adminEntry(.logout, account.user, traits, from: device)], at: now, in: db)
            return true
        }
    }
}
