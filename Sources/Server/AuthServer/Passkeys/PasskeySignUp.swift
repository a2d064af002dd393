import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import WebAuthn

// An extension: accounts whose first sign-in method is a passkey, without a password.
extension PasskeyHandlers {
    /// Stores nothing, and the response does not depend on whether the address has an account.
    @Sendable func beginPasskeySignUp(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (rules, party) = try passkeyRules()
        let body = try await request.jsonMembers(context)
        try await runtime.take(Limits.signUp, request, context)
        try await server.requireCaptcha(body, request, context)
        let form = try passkeySignUpForm(body)
        let challenge = newChallenge(for: .signUp(name: form.email?.text ?? ""), rules)
        let given = form.metadata["name"]?.stringValue ?? ""
        let name = form.email?.text ?? (given.isEmpty ? party.name : given.cut(to: 64))
        let options = CreationOptions(
            relyingParty: party,
            user: .init(
                handle: Array(challenge.newUser.text.utf8), name: name,
                displayName: given.isEmpty ? name : given.cut(to: 64)),
            challenge: challenge.bytes)
        return answer(challenge) { options.write(to: &$0) }
    }

    /// The address must be the options' one, or is free if they had none: Apple's sheet returns it together with the
    /// passkey. An emailed code proves it later (`POST /verify` with `email_change`).
    @Sendable func signUpByPasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.jsonMembers(context)
        let given = try ceremonyAnswer(body)
        let form = try passkeySignUpForm(body)
        let address = try signUpAddress(form.email, body, request)
        // Otherwise the response reveals the address or does not depend on it.
        guard case .mailed = address else { return try await signUp(given, form, address, request, context) }
        return try await server.inUniformTime { try await signUp(given, form, address, request, context) }
    }

    private func signUp(
        _ given: CeremonyAnswer, _ form: PasskeySignUpForm, _ address: PasskeySignUp.Address, _ request: Request,
        _ context: ServerContext
    ) async throws -> Response {
        let (rules, party) = try passkeyRules()
        let device = try callers.sessionDevice(request, context)
        let named = PasskeyChallenge.Purpose.signUp(name: form.email?.text ?? "")
        let isNamed = PasskeyChallenge(given.challenge, for: named, accounts.secrets) != nil
        // The options did not use the limit for this address.
        if !isNamed { try await runtime.take(Limits.signUp, request, context) }
        let outcome = try await answering(given, for: isNamed ? named : .signUp(name: ""), rules) { challenge in
            let passkey: NewPasskey
            do throws(CeremonyFailure) {
                passkey = try verified(given, challenge, party)
            } catch {
                throw Refusal.ceremony(error)
            }
            let signUp = PasskeySignUp(passkey: passkey, address: address, metadata: form.metadata)
            if case .mailed(let email, _) = address {
                try await mailAdmission.takeMailShare(request, context)
                try await mailAdmission.admitMail(.confirmation, in: [.others], to: email.text)
            }
            let accounts = try await server.admitted(
                accounts.passkeys.newAccount(signUp, id: challenge.newUser, at: runtime.now()), from: device)
            return try await server.tokens.issuing(to: device, by: accounts) {
                try await $0.passkeys.signUp(signUp, answering: challenge, from: device, at: $1)
            }
        }
        switch outcome {
        case .signedIn(let issued):
            counts.signIns.increment("passkey", "signed_up")
            if case .mailed = address { for lane in MailLane.allCases { mailer?.ring(lane) } }
            return try await server.tokens.answer(issued, to: device)
        case .addressTaken:
            counts.signIns.increment("passkey", "address_taken")
            throw Refusal(.unprocessableContent, .userAlreadyExists, "User already registered")
        case .credentialExists: throw Refusal.credentialExists
        case .challengeUsed: throw Refusal.challengeNotFound
        }
    }

    private struct PasskeySignUpForm: Sendable {
        let email: EmailAddress?
        let metadata: AuthJSONObject
    }

    private func passkeySignUpForm(_ body: JSONMembers) throws -> PasskeySignUpForm {
        try server.signIns.requireSignUps()
        let metadata = try body.object("data") ?? [:]
        try server.signIns.checkSize(of: metadata)
        try server.identities.checkProofKey(body)
        guard let text = try body.string("email"), !text.isEmpty else {
            return PasskeySignUpForm(email: nil, metadata: metadata)
        }
        guard settings.allowsEmail, settings.confirmsAutomatically || (settings.mail != nil && mailer != nil) else {
            throw Refusal(.badRequest, .emailProviderDisabled, "Email signups are disabled")
        }
        return PasskeySignUpForm(email: try EmailAddress(checking: text), metadata: metadata)
    }

    private func signUpAddress(
        _ email: EmailAddress?, _ body: JSONMembers, _ request: Request
    ) throws -> PasskeySignUp.Address {
        guard let email else { return .none }
        guard !settings.confirmsAutomatically, let mail = settings.mail else { return .confirmed(email) }
        return .mailed(email, try mailAdmission.mailRequest(body, request, mail))
    }
}
