import Foundation
import Gatehouse
import GatehouseModel

extension InMemoryAuthService {
    /// The current, single-use code of an account's authenticator app. Advance ``clock`` by 30 seconds for the next.
    public func appCode(of email: String = "ada@example.com") -> String? {
        let now = clock.now
        return state.withLock { state in
            let factor = state.server.account(email: email)?.user.factors?.last { $0.factorType == .totp }
            return factor.map { InMemoryFactors.code(of: $0.id, at: now) }
        }
    }

    /// Adds a proven authenticator app and recovery codes to an existing account, whose sessions fall to one factor.
    ///
    /// - Returns: The recovery codes.
    @discardableResult
    public func addApp(to email: String = "ada@example.com", named name: String? = "My phone") -> [String] {
        let now = clock.now
        let (codes, user) = state.withLock { state -> ([String], AuthUser?) in
            guard let id = state.server.account(email: email)?.user.id else { return ([], nil) }
            let (app, set) = (Fixtures.id(state.server.number()), Fixtures.id(state.server.number()))
            let codes = Fixtures.recoveryCodes(state.server.number())
            let factors = [
                AuthFactor(id: app, factorType: .totp, friendlyName: name, createdAt: now, updatedAt: now),
                AuthFactor(
                    id: set, factorType: .recoveryCode, friendlyName: "Recovery codes", createdAt: now, updatedAt: now),
            ]
            state.server.update(id) { $0.user.factors = factors }
            state.server.protection.codes[id] = InMemoryProtection.Codes(factor: set, left: codes, total: codes.count)
            guard let user = state.account?.user, user.id == id else { return (codes, nil) }
            if var initial = state.initial {
                initial.user = user
                state.store(initial)
            }
            return (codes, user)
        }
        if let user { tell { await $0.replace(user, then: nil) } }
        return codes
    }
}
