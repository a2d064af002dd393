import AccountDomain
import AccountStore
import GatehouseWire
import TestDatabases
import Testing

/// Passkeys as verified ceremonies give them.
extension StoreFixture {
    static let passkeyRules = (limit: 10, lifetime: Duration.seconds(300))

    func challenge(for purpose: PasskeyChallenge.Purpose = .authentication) -> PasskeyChallenge {
        PasskeyChallenge(
            for: purpose, lifetime: Self.passkeyRules.lifetime, Self.secrets, random: accounts.randomBytes(6),
            at: clock.now)
    }

    func newPasskey(
        _ id: [UInt8] = [1, 2, 3], model: [UInt8] = Array(repeating: 0, count: 16), signCount: UInt32 = 0
    ) -> NewPasskey {
        NewPasskey(
            credentialID: id, publicKey: [4, 5], algorithm: -7, model: model, signCount: signCount,
            isBackupEligible: true, isBackedUp: true, transports: ["internal", "hybrid"], attestation: "none")
    }

    func registering(
        _ new: NewPasskey, of issued: IssuedSession, limit: Int = passkeyRules.limit
    ) async throws -> PasskeyRegistration {
        let user = issued.account.user.id
        return try await accounts.passkeys.register(
            new, answering: challenge(for: .registration(user)), of: user, by: issued.session.id, limit: limit,
            from: device, at: clock.now)
    }

    func registered(
        _ new: NewPasskey, of issued: IssuedSession, limit: Int = passkeyRules.limit
    ) async throws -> Passkey {
        guard case .registered(let passkey) = try await registering(new, of: issued, limit: limit) else {
            throw NotSignedIn()
        }
        return passkey
    }

    func holder(of passkey: Passkey) async throws -> PasskeyHolder {
        try #require(try await accounts.passkeys.holder(ofCredential: passkey.credentialID, of: passkey.user))
    }

    func signIn(
        with passkey: Passkey, count: UInt32 = 0, challenge: PasskeyChallenge? = nil, twoFactors: Bool = false
    ) async throws -> PasskeySignIn {
        try await accounts.passkeys.signIn(
            holder(of: passkey),
            PasskeyProof(
                signCount: count, isBackupEligible: true, isBackedUp: true, countsAsTwoFactors: twoFactors),
            answering: challenge ?? self.challenge(), from: device, at: clock.now)
    }
}

extension PasskeySignIn {
    var issued: IssuedSession? { if case .signedIn(let issued) = self { issued } else { nil } }
    var name: String {
        switch self {
        case .signedIn: "signed in"
        case .challengeUsed: "challenge used"
        case .cloned: "cloned"
        case .setAside: "set aside"
        case .changedMeanwhile: "changed meanwhile"
        }
    }
}

extension PasskeyChange {
    var name: String {
        switch self {
        case .done: "done"
        case .unknown: "unknown"
        case .lastWayIn: "last way in"
        case .levelTooLow: "level too low"
        case .gone: "gone"
        case .sessionEnded: "session ended"
        }
    }
}

extension PasskeyRegistration {
    var name: String {
        switch self {
        case .registered: "registered"
        case .tooMany: "too many"
        case .credentialExists: "credential exists"
        case .levelTooLow: "level too low"
        case .challengeUsed: "challenge used"
        case .gone: "gone"
        case .sessionEnded: "session ended"
        }
    }
}
