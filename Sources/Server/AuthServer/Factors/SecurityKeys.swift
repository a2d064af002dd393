import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import WebAuthn

// WebAuthn keys as second factors, separate from passkeys.
extension FactorHandlers {
    /// An unverified factor registers its key, a verified one signs.
    private enum Ceremony: String, CaseIterable {
        case create, request

        init(_ factor: Factor) { self = factor.isVerified ? .request : .create }
    }

    /// Adds `webauthn` to the challenge, with the members next to `publicKey` that supabase-swift reads.
    func challengeKey(_ factor: Factor, of caller: UserCaller) async throws -> Response {
        let party = try relyingParty()
        let ceremony = Ceremony(factor)
        let keys = try await accounts.factors.securityKeys(of: caller.user.id)
        let challenge = accounts.randomBytes(32)
        let data: AuthJSON = ["type": .string(ceremony.rawValue), "challenge": .string(Base64URL.text(challenge))]
        let known = keys.map { CredentialDescriptor(id: $0.credentialID, transports: $0.transports) }
        return try await self.challenge(factor, data: data.text, of: caller) { writer in
            writer.name("webauthn")
            writer.beginObject()
            writer.member("type", ceremony.rawValue)
            writer.name("credential_options")
            writer.beginObject()
            writer.name("publicKey")
            switch ceremony {
            case .create:
                CreationOptions(
                    relyingParty: party, user: .init(caller.user), challenge: challenge, excluded: known,
                    selection: .anyAuthenticator, namesAttestation: false
                ).write(to: &writer)
                writer.name("rp")
                writer.beginObject()
                writer.member("id", party.id)
                writer.endObject()
            case .request:
                RequestOptions(relyingParty: party, challenge: challenge, allowed: known, userVerification: nil)
                    .write(to: &writer)
                writer.member("rpId", party.id)
            }
            writer.member("challenge", Base64URL.text(challenge))
            writer.endObject()
            writer.endObject()
        }
    }

    /// Without `type`, which supabase-swift does not send, the factor's state decides.
    func verifyKey(
        _ factor: Factor, _ challenge: ChallengeID, _ body: JSONMembers, of caller: UserCaller, _ device: Device
    ) async throws -> Response {
        try requireVerifying(.webAuthn)
        guard let members = try body.object("webauthn").map(JSONMembers.init) else {
            throw Refusal.invalid("WebAuthn config required")
        }
        let (named, credential) = (try members.string("type"), members["credential_response"])
        guard let ceremony = named.map({ Ceremony(text: $0) }) ?? (credential == nil ? nil : Ceremony(factor)) else {
            throw Refusal.invalid("WebAuthn type must be create or request")
        }
        guard let credential else { throw Refusal.invalid("credential_response required") }
        guard let session = caller.session?.id else { throw Refusal.sessionNeeded }
        let (data, refused) = try await accounts.factors.data(of: challenge, to: factor.id, at: runtime.now())
        guard let data else { throw refusal(refused ?? .challengeUnknown, challenge: challenge) }
        let proof = try await proof(credential, ceremony, factor, data, of: caller.user)
        let outcome = try await server.tokens.issuing(to: device) {
            try await $0.factors.verify(
                proof, answering: challenge, to: factor.id, of: caller.user.id, in: session, from: device, at: $1)
        }
        switch outcome {
        case .raised(let issued): return try await raisedAnswer(issued, by: .webAuthn, device)
        case .wrong: throw wrongKey(PasskeyRefused("a key of another factor, or one with a copy"))
        default: throw refusal(outcome, challenge: challenge)
        }
    }

    /// Logs a refusal with its cause.
    private func proof(
        _ credential: AuthJSON, _ ceremony: Ceremony, _ factor: Factor, _ data: String, of user: User
    ) async throws -> SecurityKeyProof {
        do {
            return try await unrecordedProof(credential, ceremony, factor, data, of: user)
        } catch let failure as CeremonyFailure where failure.code == .malformed {
            throw Refusal(.badRequest, .validationFailed, "Invalid credential_response", cause: failure)
        } catch {
            guard error is CeremonyFailure || error is PasskeyRefused else { throw error }
            try await accounts.passkeys.recordRefusedKey(
                ["factor_id": .string(factor.id.text)], of: user, cause: "\(error)", at: runtime.now())
            throw wrongKey(error)
        }
    }

    private func unrecordedProof(
        _ credential: AuthJSON, _ ceremony: Ceremony, _ factor: Factor, _ data: String, of user: User
    ) async throws -> SecurityKeyProof {
        let party = try relyingParty()
        let asked = try JSONReader.read(data)
        let challenge = (asked["challenge"]?.stringValue).flatMap { Base64URL.decode($0) } ?? []
        // The requested kind, the factor's state and the response must agree.
        let fits = asked["type"]?.stringValue == ceremony.rawValue && Ceremony(factor) == ceremony
        switch ceremony {
        case .create:
            let response = try RegistrationResponse(credential)
            guard fits else { throw PasskeyRefused("the factor has a key already") }
            let record = try party.verify(response, RegistrationExpectation(challenge: challenge))
            return .created(NewPasskey(record))
        case .request:
            let response = try AuthenticationResponse(credential)
            guard fits else { throw PasskeyRefused("the factor has no key yet") }
            let keys = try await accounts.factors.securityKeys(of: user.id)
            guard let key = keys.first(where: { $0.credentialID == response.credentialID }),
                let record = CredentialRecord(key)
            else { throw PasskeyRefused("an unknown credential") }
            let expectation = AuthenticationExpectation(
                challenge: challenge, allowedCredentials: keys.map(\.credentialID),
                userHandle: Array(user.id.text.utf8))
            let verdict = try party.verify(response, expectation, of: record)
            return .signed(
                by: key.factor.id, signCount: verdict.signCount, isBackupEligible: verdict.isBackupEligible,
                isBackedUp: verdict.isBackedUp)
        }
    }

    /// Supabase Auth responds with 500 here.
    private func wrongKey(_ cause: any Error) -> Refusal {
        counts.factors.increment(Factor.Kind.webAuthn.rawValue, "wrong")
        return Refusal(
            .unprocessableContent, .mfaVerificationFailed, "Invalid WebAuthn credential", cause: cause)
    }

    private func relyingParty() throws -> RelyingParty {
        guard let party = settings.identity?.party else {
            throw Refusal(
                .unprocessableContent, .mfaWebAuthnVerifyNotEnabled, "MFA verification is disabled for WebAuthn")
        }
        return party
    }
}

extension CredentialRecord {
    /// - Returns: nil for a key that only a newer release can read.
    fileprivate init?(_ key: SecurityKey) {
        // Ignored: the key was verified before it was stored.
        guard let algorithm = (try? CredentialPublicKey(key.publicKey))?.algorithm else { return nil }
        self.init(
            id: key.credentialID, publicKey: key.publicKey, algorithm: algorithm, aaguid: [],
            signCount: key.signCount, isBackupEligible: key.isBackupEligible, isBackedUp: false,
            transports: key.transports)
    }
}
