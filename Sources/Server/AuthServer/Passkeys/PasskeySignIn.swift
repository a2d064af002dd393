import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import WebAuthn

extension PasskeyHandlers {
    /// The options name no credential: the user chooses one. The body is read only for the captcha.
    @Sendable func beginPasskeySignIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (rules, party) = try passkeyRules()
        if captcha != nil { try await server.requireCaptcha(try await request.jsonMembers(context), request, context) }
        let challenge = newChallenge(for: .authentication, rules)
        let options = RequestOptions(relyingParty: party, challenge: challenge.bytes)
        return answer(challenge) { options.write(to: &$0) }
    }

    /// Unknown, foreign and deleted credentials and wrong responses get the same refusal.
    @Sendable func signInByPasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (rules, party) = try passkeyRules()
        let given = try ceremonyAnswer(try await request.jsonMembers(context))
        let device = try callers.sessionDevice(request, context)
        let outcome = try await answering(given, for: .authentication, rules) { challenge in
            let (holder, verdict) = try await proven(given, challenge, party, from: device)
            try await server.noting(.passkey, of: .user(holder.account.user.id), from: device) {
                try checkMaySignIn(holder.account.user)
            }
            let proof = PasskeyProof(
                signCount: verdict.signCount, isBackupEligible: verdict.isBackupEligible,
                isBackedUp: verdict.isBackedUp,
                countsAsTwoFactors: rules.countsAsTwoFactors && verdict.isUserVerified)
            return try await server.tokens.issuing(to: device) {
                try await $0.passkeys.signIn(holder, proof, answering: challenge, from: device, at: $1)
            }
        }
        switch outcome {
        case .signedIn(let issued):
            counts.signIns.increment("passkey", "signed_in")
            return try await server.tokens.answer(issued, to: device)
        case .challengeUsed: throw Refusal.challengeNotFound
        case .setAside(let passkey, let user):
            counts.signIns.increment("passkey", "set_aside")
            let ticket = try passkey.ticket(accounts.secrets, nonce: accounts.randomBytes(12))
            throw try await server.users.setAside(user, .passkeySetAside(passkey, ticket: ticket), request, context)
        case .cloned:
            counts.signIns.increment("passkey", "cloned")
            throw Refusal.wrongPasskey("the count did not increase")
        case .changedMeanwhile:
            counts.signIns.increment("passkey", "changed_meanwhile")
            throw Refusal.wrongPasskey("passkey or account changed during the check")
        }
    }

    private func proven(
        _ given: CeremonyAnswer, _ challenge: PasskeyChallenge, _ party: RelyingParty, from device: Device
    ) async throws -> (PasskeyHolder, AuthenticationVerdict) {
        let response: AuthenticationResponse
        do throws(CeremonyFailure) {
            response = try AuthenticationResponse(given.credential)
        } catch {
            counts.signIns.increment("passkey", "malformed")
            throw Refusal.ceremony(error)
        }
        let (holder, handle) = try await holder(response)
        guard let record = CredentialRecord(holder.passkey) else {
            counts.signIns.increment("passkey", "refused")
            throw Refusal.wrongPasskey("an algorithm that only a newer release knows")
        }
        do throws(CeremonyFailure) {
            let expectation = AuthenticationExpectation(
                challenge: challenge.bytes, userHandle: handle, requiresUserHandle: true)
            return (holder, try party.verify(response, expectation, of: record))
        } catch {
            counts.signIns.increment("passkey", "refused")
            // Only its owner's devices know the credential's ID, so strangers cannot fill the log.
            try await accounts.passkeys.recordRefusedKey(
                ["passkey_id": .string(holder.passkey.id.text)], of: holder.account.user, cause: "\(error)",
                at: runtime.now())
            let refusal = Refusal.ceremony(error)
            server.note(refusal, .passkey, of: .user(holder.account.user.id), from: device)
            throw refusal
        }
    }

    /// The user handle is the text of the user's ID.
    private func holder(_ response: AuthenticationResponse) async throws -> (PasskeyHolder, handle: [UInt8]) {
        guard let handle = response.userHandle else {
            counts.signIns.increment("passkey", "no_user_handle")
            throw Refusal.wrongPasskey("no user handle: the credential is not discoverable")
        }
        guard let user = String(validating: handle, as: UTF8.self).flatMap({ UserID($0) }),
            let holder = try await accounts.passkeys.holder(ofCredential: response.credentialID, of: user)
        else {
            counts.signIns.increment("passkey", "unknown_credential")
            throw Refusal.wrongPasskey("an unknown credential")
        }
        return (holder, handle)
    }

    /// Call after verifying the passkey: only its holder may learn of a ban.
    private func checkMaySignIn(_ user: User) throws {
        if user.email != nil, user.times.emailConfirmedAt == nil {
            counts.signIns.increment("passkey", "unconfirmed")
            throw Refusal(.forbidden, .emailNotConfirmed, "Email not confirmed")
        }
        if user.email == nil, user.phone != nil, user.times.phoneConfirmedAt == nil {
            counts.signIns.increment("passkey", "unconfirmed")
            throw Refusal(.forbidden, .phoneNotConfirmed, "Phone not confirmed")
        }
        guard user.isBanned(at: runtime.now()) else { return }
        counts.signIns.increment("passkey", "banned")
        throw Refusal(.forbidden, .userBanned, "User is banned")
    }
}

extension Refusal {
    fileprivate static func wrongPasskey(_ cause: StaticString) -> Refusal {
        Refusal(
            .badRequest, .webauthnVerificationFailed, "Credential verification failed",
            cause: PasskeyRefused("\(cause)"))
    }
}

struct PasskeyRefused: Error, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
