import Foundation
import Gatehouse
import GatehouseModel

/// A set-aside passkey that has signed in.
struct SetAsidePasskey: Sendable {
    let owner: UUID
    let passkey: UUID
}

// Passkeys.
extension InMemoryServer {
    private static let party = "accounts.example.com"

    private mutating func challenge(for owner: UUID?) -> (id: UUID, members: JSONObject) {
        let number = number()
        let id = Fixtures.id(number)
        protection.challenges[id] = owner
        return (
            id, ["challenge": .string(Base64URL.text(Array("\(number)".utf8))), "rpId": .string(Self.party)]
        )
    }

    mutating func registrationOptions(
        _ kept: InMemoryDevice.Kept, at now: Date
    ) throws(AuthClientError) -> PasskeyRegistrationOptions {
        let user = kept.session.user
        try requireLevel(kept.id)
        let keys = protection.keys[user.id] ?? []
        guard keys.count < 10 else { throw Fault.refused(422, .tooManyPasskeys) }
        var (id, options) = challenge(for: user.id)
        options["rp"] = ["id": .string(Self.party), "name": "Example"]
        options["user"] = [
            "id": .string(Base64URL.text(Array(user.id.wire.utf8))),
            "name": .string(account(user.id)?.user.email ?? ""), "displayName": "",
        ]
        options["excludeCredentials"] = .array(keys.map { ["type": "public-key", "id": .string($0.credential)] })
        let json = Self.answer(id, options, now)
        do { return try PasskeyRegistrationOptions(json: json) } catch { throw .unexpectedAnswer(error.description) }
    }

    mutating func authenticationOptions(at now: Date) throws(AuthClientError) -> PasskeyAuthenticationOptions {
        guard settings.allowsPasskeys else { throw Fault.refused(404, .passkeyDisabled) }
        let (id, options) = challenge(for: nil)
        let json = Self.answer(id, options, now)
        do { return try PasskeyAuthenticationOptions(json: json) } catch { throw .unexpectedAnswer(error.description) }
    }

    private static func answer(_ id: UUID, _ options: JSONObject, _ now: Date) -> AnyJSON {
        [
            "challenge_id": .string(id.wire), "options": .object(options),
            "expires_at": .double(now.timeIntervalSince1970 + 300),
        ]
    }

    mutating func register(
        _ kept: InMemoryDevice.Kept, _ challenge: UUID, _ credential: AnyJSON, at now: Date
    ) throws(AuthClientError) -> Passkey {
        let user = kept.session.user.id
        guard let owner = protection.challenges.removeValue(forKey: challenge), owner == user else {
            throw Fault.refused(400, .webauthnChallengeNotFound)
        }
        guard let id = credential["id"]?.stringValue else { throw Fault.refused(400, .webauthnVerificationFailed) }
        let name = credential["name"]?.stringValue ?? "Passkey"
        let passkey = Passkey(id: Fixtures.id(number()), friendlyName: name, createdAt: now)
        protection.keys[user, default: []].append(InMemoryProtection.Key(passkey: passkey, credential: id))
        return passkey
    }

    mutating func signIn(with assertion: PasskeyAssertion, at now: Date) throws(AuthClientError) -> Opened {
        guard let owner = protection.challenges.removeValue(forKey: assertion.challengeID), owner == nil else {
            throw Fault.refused(400, .webauthnChallengeNotFound)
        }
        let credential = assertion.credential["id"]?.stringValue
        for (user, keys) in protection.keys {
            guard let index = keys.firstIndex(where: { $0.credential == credential }), account(user) != nil else {
                continue
            }
            if keys[index].passkey.setAsideAt != nil { throw setAside(keys[index].passkey, of: user, at: now) }
            protection.keys[user]?[index].passkey.lastUsedAt = now
            return try open(user, at: now)
        }
        throw Fault.refused(400, .webauthnVerificationFailed)
    }

    /// The refusal of a set-aside passkey, with the ticket that restores it.
    private mutating func setAside(_ passkey: Passkey, of user: UUID, at now: Date) -> AuthClientError {
        let ticket = SetAsideTicket("set-aside-\(number())", expiresAt: now + Self.ticketLifetime)
        setAsideTickets[ticket] = SetAsidePasskey(owner: user, passkey: passkey.id)
        if let account = account(user) { mailRestoring(of: account, at: now) }
        var refusal = AuthRefusal(status: 403, code: .credentialSetAside)
        refusal.setAsideTicket = ticket
        return .refused(refusal)
    }

    func passkeys(of user: UUID) throws(AuthClientError) -> [Passkey] {
        guard settings.allowsPasskeys else { throw Fault.refused(404, .passkeyDisabled) }
        return (protection.keys[user] ?? []).map(\.passkey)
    }

    /// - Parameter change: Returns nil to delete the passkey.
    mutating func changePasskey(
        _ id: UUID, of user: UUID, _ change: (Passkey) -> Passkey?
    ) throws(AuthClientError) {
        guard let index = protection.keys[user]?.firstIndex(where: { $0.passkey.id == id }),
            let known = protection.keys[user]?[index].passkey
        else { throw Fault.refused(404, .validationFailed) }
        if let changed = change(known) {
            protection.keys[user]?[index].passkey = changed
        } else {
            protection.keys[user]?.remove(at: index)
        }
        showSetAside(of: user)
    }
}
