import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import WebAuthn

extension PasskeyHandlers {
    /// Without passkeys, each route says so before any check.
    var passkeyRoutes: [Route] {
        guard let rules = settings.passkeys else { return server.absentPasskeys }
        let wait = runtime.requestTimeLimit
        let signUp = [
            Route(
                .post, "/passkeys/signup/options", guardedBy: callers.admitClient, timeLimit: wait, beginPasskeySignUp),
            Route(.post, "/passkeys/signup/verify", guardedBy: callers.admitClient, timeLimit: wait, signUpByPasskey),
        ]
        return (rules.allowsSignUp ? signUp : []) + [
            Route(.post, "/passkeys/registration/options", beginPasskey),
            Route(.post, "/passkeys/registration/verify", timeLimit: wait, registerPasskey),
            Route(
                .post, "/passkeys/authentication/options", guardedBy: callers.admitClient, limitedBy: Limits.passkey,
                timeLimit: wait, beginPasskeySignIn),
            Route(
                .post, "/passkeys/authentication/verify", guardedBy: callers.admitClient, timeLimit: wait,
                signInByPasskey),
            callers.owned(.get, "/passkeys", waits: false, listPasskeys),
            callers.owned(.patch, "/passkeys/{passkey_id}", renamePasskey),
            callers.owned(.delete, "/passkeys/{passkey_id}", waits: false, deletePasskey),
        ]
    }

    /// `{"mediation":"conditional"}` waives user presence. Supabase Auth reads no body, so any other body is ignored.
    @Sendable func beginPasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (rules, party) = try passkeyRules()
        let caller = try await passkeyOwner(request)
        let body = try await request.bytes(context)
        // Ignored: a body that is not JSON has no members.
        let isConditional = (try? JSONReader.read(body))?["mediation"]?.stringValue == "conditional"
        let passkeys = try await accounts.passkeys.all(of: caller.user.id)
        guard passkeys.count < rules.maximum else { throw Refusal.tooManyPasskeys }
        try await runtime.take(Limits.registerPasskey, of: caller.user.id.text)
        let user = caller.user.id
        let challenge = newChallenge(for: isConditional ? .conditionalRegistration(user) : .registration(user), rules)
        let options = CreationOptions(
            relyingParty: party, user: .init(caller.user), challenge: challenge.bytes,
            excluded: passkeys.map { CredentialDescriptor(id: $0.credentialID) })
        return answer(challenge) { options.write(to: &$0) }
    }

    @Sendable func registerPasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (rules, party) = try passkeyRules()
        let caller = try await passkeyOwner(request)
        let given = try ceremonyAnswer(try await request.jsonMembers(context))
        let device = try callers.device(request, context)
        var purpose = PasskeyChallenge.Purpose.conditionalRegistration(caller.user.id)
        let isConditional = PasskeyChallenge(given.challenge, for: purpose, accounts.secrets) != nil
        if !isConditional { purpose = .registration(caller.user.id) }
        let outcome = try await answering(given, for: purpose, rules) { challenge in
            let passkey: NewPasskey
            do throws(CeremonyFailure) {
                passkey = try verified(given, challenge, party, isConditional: isConditional)
            } catch {
                try await accounts.passkeys.recordRefusedKey([:], of: caller.user, cause: "\(error)", at: runtime.now())
                throw Refusal.ceremony(error)
            }
            return try await accounts.passkeys.register(
                passkey, answering: challenge, of: caller.user.id, by: caller.session?.id, limit: rules.maximum,
                from: device, at: runtime.now())
        }
        switch outcome {
        case .registered(let passkey): return Answer.json { $0.passkey(passkey) }
        case .tooMany: throw Refusal.tooManyPasskeys
        case .credentialExists: throw Refusal.credentialExists
        case .levelTooLow: throw Refusal.passkeyLevel
        case .challengeUsed: throw Refusal.challengeNotFound
        case .gone: throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        case .sessionEnded: throw Refusal.sessionExpired
        }
    }

    @Sendable func listPasskeys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        let passkeys = try await accounts.passkeys.all(of: caller.user.id)
        return Answer.json { $0.passkeys(passkeys) }
    }

    @Sendable func renamePasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        let id = try passkeyID(context)
        let name = try await request.jsonMembers(context).string("friendly_name") ?? ""
        guard !name.isEmpty else { throw Refusal.invalid("friendly_name is required") }
        guard name.utf8.count <= Passkey.longestName else {
            throw Refusal.invalid("friendly_name must be \(Passkey.longestName) characters or fewer")
        }
        try await runtime.take(Limits.signInMethods, of: caller.limitKey)
        let outcome = try await accounts.passkeys.rename(
            id, of: caller.user.id, to: name, by: caller.session?.id, at: runtime.now())
        let passkey = try changed(outcome)
        return Answer.json { $0.passkey(passkey) }
    }

    /// Keeps the sessions that the passkey opened.
    @Sendable func deletePasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        try callers.require(.removePasskey, by: caller)
        let outcome = try await accounts.passkeys.remove(
            try passkeyID(context), of: caller.user.id, by: caller.session?.id,
            from: try callers.device(request, context),
            at: runtime.now())
        _ = try changed(outcome)
        return Answer.empty(.noContent)
    }

    private func passkeyOwner(_ request: Request) async throws -> UserCaller {
        let caller = try await server.factors.permanentCaller(request)
        try callers.require(.addPasskey, by: caller)
        return caller
    }

    func passkeyID(_ context: ServerContext) throws -> PasskeyID {
        guard let id = context.parameters.get("passkey_id").flatMap({ PasskeyID($0) }) else {
            throw Refusal(.notFound, .validationFailed, "passkey_id must be an UUID")
        }
        return id
    }

    func changed(_ outcome: PasskeyChange) throws -> Passkey {
        switch outcome {
        case .done(let passkey): return passkey
        case .unknown: throw Refusal(.notFound, .validationFailed, "Passkey not found")
        case .lastWayIn:
            throw Refusal(
                .unprocessableContent, .singleIdentityNotDeletable,
                "The account has no other way to sign in: add one first")
        case .levelTooLow: throw Refusal.passkeyLevel
        case .gone: throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        case .sessionEnded: throw Refusal.sessionExpired
        }
    }
}

extension CreationOptions.User {
    /// The handle is the text of the user's ID, as in Supabase Auth.
    init(_ user: User) {
        let name = user.email ?? user.phone ?? ""
        // Ignored: this program wrote the JSON, so it parses.
        let metadata = (try? JSONReader.read(user.userMetadata))?["name"]?.stringValue ?? ""
        self.init(handle: Array(user.id.text.utf8), name: name, displayName: metadata.isEmpty ? name : metadata)
    }
}

extension JSONWriter {
    mutating func passkey(_ passkey: Passkey) {
        beginObject()
        member("id", passkey.id.text)
        member("friendly_name", ifPresent: passkey.name.isEmpty ? nil : passkey.name)
        member("created_at", passkey.createdAt)
        member("set_aside_at", ifPresent: passkey.setAsideAt)
        member("last_used_at", ifPresent: passkey.lastUsedAt)
        endObject()
    }

    mutating func passkeys(_ passkeys: [Passkey]) {
        beginArray()
        for passkey in passkeys { self.passkey(passkey) }
        endArray()
    }
}

extension Refusal {
    static let passkeyLevel = Refusal(
        .forbidden, .insufficientAAL, "AAL2 session is required to manage passkeys when MFA is enabled")
    fileprivate static let tooManyPasskeys = Refusal(
        .unprocessableContent, .tooManyPasskeys, "Maximum number of passkeys reached")
}
