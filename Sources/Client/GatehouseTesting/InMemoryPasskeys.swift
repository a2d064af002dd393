import Foundation
import Gatehouse
import GatehouseModel

struct SetAsidePasskey: Sendable {
    let owner: UUID
    let passkey: UUID
}

extension InMemoryPasskeys {
    private static let party = "accounts.example.com"

    mutating func challenge(for owner: UUID?) -> (id: UUID, members: AuthJSONObject) {
        let number = number()
        let id = Fixtures.id(number)
        server.protection.challenges[id] = owner
        return (
            id, ["challenge": .string(Base64URL.text(Array("\(number)".utf8))), "rpId": .string(Self.party)]
        )
    }

    mutating func registrationOptions(_ caller: Caller, at now: Date) throws(AuthClientError) -> AuthJSON {
        try server.factors.requireLevel(caller.id)
        let keys = server.protection.keys[caller.user] ?? []
        guard keys.count < 10 else { throw Fault.refused(422, .tooManyPasskeys) }
        var (id, options) = creation(for: caller.user, named: account(caller.user)?.user.email ?? "")
        options["excludeCredentials"] = .array(keys.map { ["type": "public-key", "id": .string($0.credential)] })
        return Self.answer(id, options, now)
    }

    mutating func creation(for owner: UUID, named name: String) -> (id: UUID, members: AuthJSONObject) {
        var (id, options) = challenge(for: owner)
        options["rp"] = ["id": .string(Self.party), "name": "Example"]
        options["user"] = [
            "id": .string(Base64URL.text(Array(owner.wire.utf8))), "name": .string(name), "displayName": "",
        ]
        return (id, options)
    }

    mutating func authenticationOptions(at now: Date) throws(AuthClientError) -> AuthJSON {
        guard settings.allowsPasskeys else { throw Fault.refused(404, .passkeyDisabled) }
        let (id, options) = challenge(for: nil)
        return Self.answer(id, options, now)
    }

    static func answer(_ id: UUID, _ options: AuthJSONObject, _ now: Date) -> AuthJSON {
        [
            "challenge_id": .string(id.wire), "options": .object(options),
            "expires_at": .double(now.timeIntervalSince1970 + 300),
        ]
    }

    mutating func register(
        _ caller: Caller, _ challenge: UUID?, _ credential: AuthJSON, at now: Date
    ) throws(AuthClientError) -> AuthPasskey {
        let user = caller.user
        guard let challenge, let owner = server.protection.challenges.removeValue(forKey: challenge), owner == user
        else {
            throw Fault.refused(400, .webauthnChallengeNotFound)
        }
        return try add(credential, to: user, at: now)
    }

    @discardableResult
    mutating func add(_ credential: AuthJSON, to user: UUID, at now: Date) throws(AuthClientError) -> AuthPasskey {
        guard let id = credential["id"]?.stringValue else { throw Fault.refused(400, .webauthnVerificationFailed) }
        let name = credential["name"]?.stringValue ?? "Passkey"
        let passkey = AuthPasskey(id: Fixtures.id(number()), friendlyName: name, createdAt: now)
        server.protection.keys[user, default: []].append(InMemoryProtection.Key(passkey: passkey, credential: id))
        return passkey
    }

    mutating func signIn(_ challenge: UUID, _ answer: AuthJSON, at now: Date) throws(AuthClientError) -> Opened {
        guard let owner = server.protection.challenges.removeValue(forKey: challenge), owner == nil else {
            throw Fault.refused(400, .webauthnChallengeNotFound)
        }
        let credential = answer["id"]?.stringValue
        for (user, keys) in server.protection.keys {
            guard let index = keys.firstIndex(where: { $0.credential == credential }), account(user) != nil else {
                continue
            }
            if keys[index].passkey.setAsideAt != nil { throw setAside(keys[index].passkey, of: user, at: now) }
            server.protection.keys[user]?[index].passkey.lastUsedAt = now
            return try open(user, at: now)
        }
        throw Fault.refused(400, .webauthnVerificationFailed)
    }

    private mutating func setAside(_ passkey: AuthPasskey, of user: UUID, at now: Date) -> AuthClientError {
        let ticket = AuthSetAsideTicket("set-aside-\(number())", expiresAt: now + InMemoryLinking.ticketLifetime)
        server.setAsideTickets[ticket] = SetAsidePasskey(owner: user, passkey: passkey.id)
        if let account = account(user) { server.proving.mailRestoring(of: account, at: now) }
        var refusal = AuthRefusal(status: 403, code: .credentialSetAside)
        refusal.setAsideTicket = ticket
        return .refused(refusal)
    }

    func passkeys(of user: UUID) throws(AuthClientError) -> [AuthPasskey] {
        guard settings.allowsPasskeys else { throw Fault.refused(404, .passkeyDisabled) }
        return (server.protection.keys[user] ?? []).map(\.passkey)
    }

    /// - Parameter change: Returns nil to delete the passkey.
    /// - Returns: The changed or deleted passkey.
    @discardableResult
    mutating func changePasskey(
        _ id: UUID?, of user: UUID, _ change: (AuthPasskey) -> AuthPasskey?
    ) throws(AuthClientError) -> AuthPasskey {
        guard let index = server.protection.keys[user]?.firstIndex(where: { $0.passkey.id == id }),
            let known = server.protection.keys[user]?[index].passkey
        else { throw Fault.refused(404, .validationFailed) }
        let changed = change(known)
        if let changed {
            server.protection.keys[user]?[index].passkey = changed
        } else {
            server.protection.keys[user]?.remove(at: index)
        }
        server.proving.showSetAside(of: user)
        return changed ?? known
    }
}
