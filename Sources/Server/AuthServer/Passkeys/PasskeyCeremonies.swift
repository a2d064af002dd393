import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import WebAuthn

struct CeremonyAnswer: Sendable {
    let challenge: PasskeyChallengeID
    let credential: AuthJSON
}

extension PasskeyHandlers {
    /// For routes that exist only with passkeys.
    func passkeyRules() throws -> (PasskeyRules, RelyingParty) {
        guard let rules = settings.passkeys, let party = settings.identity?.party else { throw Refusal.passkeysOff }
        return (rules, party)
    }

    func newChallenge(for purpose: PasskeyChallenge.Purpose, _ rules: PasskeyRules) -> PasskeyChallenge {
        PasskeyChallenge(
            for: purpose, lifetime: rules.challengeLifetime, accounts.secrets, random: accounts.randomBytes(6),
            at: runtime.now())
    }

    func answer(
        _ challenge: PasskeyChallenge, options: (inout JSONWriter) -> Void
    ) -> Response {
        Answer.json(capacity: 2_048) { writer in
            writer.beginObject()
            writer.member("challenge_id", challenge.id.text)
            writer.name("options")
            options(&writer)
            writer.member("expires_at", challenge.expiresAt.seconds)
            writer.endObject()
        }
    }

    func ceremonyAnswer(_ body: JSONMembers) throws -> CeremonyAnswer {
        let text = try body.string("challenge_id") ?? ""
        guard !text.isEmpty else { throw Refusal.invalid("challenge_id is required") }
        guard body.mentions("credential") else { throw Refusal.invalid("credential is required") }
        guard let id = PasskeyChallengeID(text) else { throw Refusal.invalid("challenge_id must be a valid UUID") }
        return CeremonyAnswer(challenge: id, credential: body["credential"] ?? .null)
    }

    /// One response per challenge, right or wrong. Only a failure of the server, a limit or a hook releases it.
    func answering<Value: Sendable>(
        _ answer: CeremonyAnswer, for purpose: PasskeyChallenge.Purpose, _ rules: PasskeyRules,
        _ body: (PasskeyChallenge) async throws -> Value
    ) async throws -> Value {
        let now = runtime.now()
        guard let challenge = PasskeyChallenge(answer.challenge, for: purpose, accounts.secrets),
            answeredChallenges.take(challenge.id, until: now + rules.challengeLifetime, at: now)
        else { throw Refusal.challengeNotFound }
        guard now < challenge.expiresAt else {
            throw Refusal(.badRequest, .webauthnChallengeExpired, "Challenge has expired")
        }
        do {
            return try await body(challenge)
        } catch {
            if let refusal = error as? Refusal, refusal.status != .tooManyRequests, !refusal.isOfHook { throw refusal }
            answeredChallenges.giveBack(challenge.id)
            throw error
        }
    }

    /// - Parameter isConditional: The passkey may have been created without a gesture (WebAuthn Level 3 §7.1 step 15).
    func verified(
        _ answer: CeremonyAnswer, _ challenge: PasskeyChallenge, _ party: RelyingParty, isConditional: Bool = false
    ) throws(CeremonyFailure) -> NewPasskey {
        NewPasskey(
            try party.verify(
                RegistrationResponse(answer.credential),
                RegistrationExpectation(challenge: challenge.bytes, isConditional: isConditional)))
    }
}

extension NewPasskey {
    init(_ record: CredentialRecord) {
        self.init(
            credentialID: record.id, publicKey: record.publicKey, algorithm: record.algorithm.rawValue,
            model: record.aaguid, signCount: record.signCount, isBackupEligible: record.isBackupEligible,
            isBackedUp: record.isBackedUp, transports: record.transports, attestation: record.attestation.rawValue)
    }
}

extension CredentialRecord {
    /// - Returns: nil for an algorithm that only a newer release knows.
    init?(_ passkey: Passkey) {
        guard let algorithm = COSEAlgorithm(rawValue: passkey.algorithm) else { return nil }
        self.init(
            id: passkey.credentialID, publicKey: passkey.publicKey, algorithm: algorithm, aaguid: passkey.model,
            signCount: passkey.signCount, isBackupEligible: passkey.isBackupEligible,
            isBackedUp: passkey.isBackedUp, transports: passkey.transports)
    }
}

extension Refusal {
    static let passkeysOff = Refusal(.notFound, .passkeyDisabled, "Passkeys are disabled")
    static let challengeNotFound = Refusal(
        .badRequest, .webauthnChallengeNotFound, "Challenge not found or already used")
    static let credentialExists = Refusal(
        .unprocessableContent, .webauthnCredentialExists, "This passkey is already registered")

    /// The same for every reason; only the log has the reason.
    static func ceremony(_ failure: CeremonyFailure) -> Refusal {
        let message = failure.code == .malformed ? "Invalid credential response" : "Credential verification failed"
        return Refusal(.badRequest, .webauthnVerificationFailed, message, cause: failure)
    }
}
