import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

/// The second factor of a sign-in, or the proof before a change.
struct SecondStepPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/second-step") { try await $0.show() },
        takes("/second-step") { try await $0.take() },
    ]

    mutating func show() async throws -> Outcome {
        guard visit.isSignedIn else { return .go(.signIn) }
        return try await secondStep()
    }

    mutating func take() async throws -> Outcome {
        guard visit.isSignedIn else { return .go(.signIn) }
        if visit.fields["act"] == "cancel" {
            // The page that asked for the proof would ask again.
            (visit.session.next, visit.session.asked) = (nil, nil)
            return .go(.home)
        }
        do {
            if visit.fields["act"] == "start-over" {
                guard visit.fields["sure"] == "yes", mayStartOver else { return .go(.secondStep) }
                let json = try await visit.callAsUser(.post, "/user/start-over")
                let outcome = try await visit.signIn(json, for: nil)
                visit.session.flash = .startedOver
                return outcome
            }
            if let page = try await begun() { return .page(page) }
            let answer = try AuthSessionAnswer(json: await raised())
            visit.session.tokens = WebSession.Tokens(answer)
            visit.session.awaitsSecondStep = false
            return try await visit.completeSignIn()
        } catch let refusal as CallRefusal {
            if let page = try await textPage(after: refusal) { return .page(page) }
            return try await secondStep(.problem(problem(refusal)))
        }
    }
}

extension SecondStepPage {
    mutating func raised() async throws -> AuthJSON {
        if visit.fields["act"] == "recovery" {
            return try await visit.callAsUser(
                .post, "/factors/recovery-codes/verify", ["code": .string(visit.typedCode)])
        }
        let path = "/factors/\(visit.factorOfForm)"
        if visit.fields["act"] == "key" { return try await verifyKey(creates: false, at: path) }
        if visit.fields["act"] == "text" { return try await verifyText(at: path) }
        return try await verify(visit.typedCode, at: path)
    }

    mutating func verifyKey(creates: Bool, at path: String) async throws -> AuthJSON {
        let credential = Ceremony.answer(visit.fields[Ceremony.credential]) ?? .null
        let answer: AuthJSON = ["type": creates ? "create" : "request", "credential_response": credential]
        return try await visit.callAsUser(
            .post, path + "/verify", ["challenge_id": .string(visit.challengeOfForm), "webauthn": answer])
    }

    /// The page of a step that a second form completes.
    mutating func begun() async throws -> Page? {
        if asksForKey { return try await keyPage() }
        return asksForText ? try await textPage() : nil
    }

    /// Created on demand: a challenge uses up part of the user's limit.
    private var asksForKey: Bool { visit.fields["act"] == "key" && visit.fields["challenge"] == nil }

    func problem(_ refusal: CallRefusal) -> String {
        if visit.fields["act"] == "start-over", refusal.needsFreshSignIn {
            return say("To start over, sign in with a code we email you, and try again within ten minutes.")
        }
        return visit.fields["act"] == "key" && refusal.isOfKey ? keyProblem : visit.message(for: refusal)
    }

    var keyProblem: String {
        visit.fields[Ceremony.failure] == "InvalidStateError"
            ? visit.both(say("This device is already a security key of your account."), say("Please use another key."))
            : say("The security key didn't work. Please try again.")
    }

    mutating func verify(_ code: String, at path: String) async throws -> AuthJSON {
        let challenge = try AuthFactorChallenge(json: await visit.callAsUser(.post, path + "/challenge"))
        let id = AuthJSON.string(challenge.id.uuidString.lowercased())
        return try await visit.callAsUser(.post, path + "/verify", ["challenge_id": id, "code": .string(code)])
    }

    /// Continues if the user's last factor has been removed.
    private mutating func secondStep(_ notice: Notice? = nil) async throws -> Outcome {
        let user = try await visit.user()
        guard user.factors?.contains(where: { $0.status == .verified }) == true else {
            visit.session.awaitsSecondStep = false
            return try await visit.completeSignIn()
        }
        let wantsStart = visit.fields["use"] == "start-over" || visit.fields["act"] == "start-over"
        if wantsStart, mayStartOver, user.email != nil { return .page(startOverPage(notice)) }
        return .page(page(SecondSteps(user), hasAddress: user.email != nil, notice))
    }

    /// Creates the factor's key or uses the existing one.
    mutating func keyBlocks(
        _ factor: String, act: String, at path: String, start: Ceremony.Start = .byPress
    ) async throws -> [Block] {
        let challenge = try AuthFactorChallenge(json: await visit.callAsUser(.post, "/factors/\(factor)/challenge"))
        guard let webAuthn = challenge.webAuthn else { throw CallFailed(cause: nil) }
        let ceremony = Ceremony(
            kind: webAuthn.creates ? .create : .get, options: webAuthn.credentialOptions, start: start)
        return [
            .text(say("Touch the key, or unlock this device, when your browser asks.")),
            .form(
                Form(
                    action: path,
                    hidden: [
                        ("act", act), ("factor", factor), ("challenge", challenge.id.uuidString.lowercased()),
                    ], ceremony: ceremony, button: say("Continue"))),
            .unscripted(say("This browser can't use security keys, or doesn't allow scripts.")),
        ]
    }

    /// Only a sign-in that awaits the second step may do without it.
    private var mayStartOver: Bool { visit.session.awaitsSecondStep && pages.site == .account }

    /// For a user without access to the second factor.
    private func startOverPage(_ notice: Notice?) -> Page {
        var page = Page(say("Start Over with This Email"))
        page.notice = notice
        page.back = (say("Confirm It's You"), path)
        page.blocks = [
            .text(say("Your email will move to a new, empty account. The current account keeps everything else.")),
            .form(
                Form(
                    action: path,
                    fields: [Field(kind: .checkbox, name: "sure", label: say("I want to start over with this email."))],
                    hidden: [("act", "start-over")], button: say("Start Over with This Email"), style: .danger)),
        ]
        return page
    }

    func page(_ steps: SecondSteps, hasAddress: Bool = false, _ notice: Notice? = nil) -> Page {
        var page = Page(say("Confirm It's You"))
        page.notice = notice
        let usesRecovery = visit.fields["use"] == "recovery" || visit.fields["act"] == "recovery"
        if steps.hasRecoveryCodes, usesRecovery || !steps.haveOthers {
            page.blocks = recoveryBlocks(steps)
        } else {
            page.blocks = visit.session.awaitsSecondStep ? visit.handoverSentence : []
            if !steps.apps.isEmpty { page.blocks += codeBlocks(steps) }
            page.blocks += steps.phones.map { textButton($0, isOnly: steps.phones.count == 1) }
            if let key = steps.keys.first { page.blocks.append(keyButton(key)) }
            if steps.hasRecoveryCodes {
                page.blocks.append(
                    .links([Link(title: say("Use a Recovery Code"), address: path + "?use=recovery")]))
            }
        }
        if hasAddress, mayStartOver {
            page.blocks.append(
                .links([Link(title: say("Start Over with This Email"), address: path + "?use=start-over")]))
        }
        page.blocks.append(cancelBlock)
        return page
    }

    var path: String { pages.site == .console ? ConsolePlace.secondStep : Place.secondStep.path }

    private var cancelBlock: Block {
        let signOut = pages.site == .console ? ConsolePlace.signOut : Place.prefix + "/sign-out"
        return visit.session.awaitsSecondStep
            ? .form(Form(action: signOut, button: say("Cancel"), style: .plain))
            : .form(Form(action: path, hidden: [("act", "cancel")], button: say("Cancel"), style: .plain))
    }

    private func codeBlocks(_ steps: SecondSteps) -> [Block] {
        var fields = [visit.codeField]
        fields[0].isFocused = true
        var form = Form(action: path, button: say("Continue"))
        if steps.apps.count == 1 {
            form.hidden = [("factor", steps.apps[0].id.uuidString.lowercased())]
        } else {
            let options = steps.apps.map { app in
                Field.Option(
                    value: app.id.uuidString.lowercased(), title: app.friendlyName?.shown ?? say("Authenticator App"))
            }
            fields.insert(
                Field(
                    kind: .choice, name: "factor", label: say("Authenticator App"), value: visit.fields["factor"] ?? "",
                    options: options), at: 0)
        }
        form.fields = fields
        return [.text(say("Enter the code that your authenticator app shows.")), .form(form)]
    }

    private func recoveryBlocks(_ steps: SecondSteps) -> [Block] {
        var field = Field(kind: .text, name: "code", label: say("Recovery Code"), maximumLength: 64)
        (field.isFocused, field.isLatin) = (true, true)
        return [
            .text(say("Enter one of your recovery codes. Each works once.")),
            .form(
                Form(
                    action: path, fields: [field], hidden: [("act", "recovery")],
                    button: say("Continue"))),
            steps.haveOthers ? .links([Link(title: say("Use Another Way"), address: path)]) : nil,
        ].compactMap(\.self)
    }

    private func keyButton(_ key: AuthFactor) -> Block {
        .form(
            Form(
                action: path, hidden: [("act", "key"), ("factor", key.id.uuidString.lowercased())],
                button: say("Use a Security Key"), symbol: "passkey", style: .plain))
    }

    mutating func keyPage() async throws -> Page {
        var page = Page(say("Security Key"))
        page.back = (say("Confirm It's You"), path)
        page.blocks = try await keyBlocks(visit.factorOfForm, act: "key", at: path, start: .atOnce)
        return page
    }
}

/// Supported by these pages.
struct SecondSteps {
    let apps: [AuthFactor]
    let keys: [AuthFactor]
    let phones: [AuthFactor]
    let hasRecoveryCodes: Bool

    init(_ user: AuthUser) {
        let verified = (user.factors ?? []).filter { $0.status == .verified }
        apps = verified.filter { $0.factorType == .totp }
        keys = verified.filter { $0.factorType == .webAuthn }
        phones = verified.filter { $0.factorType == .phone && $0.phone != nil }
        hasRecoveryCodes = verified.contains { $0.factorType == .recoveryCode }
    }

    /// Besides recovery codes.
    var haveOthers: Bool { !apps.isEmpty || !keys.isEmpty || !phones.isEmpty }
    var exist: Bool { haveOthers || hasRecoveryCodes }
}

extension AuthSessionAnswer {
    var awaitsSecondStep: Bool {
        user.factors?.contains { $0.status == .verified } == true && level != "aal2"
    }

    /// The `aal` claim, from the API itself; nil without a JWT.
    private var level: String? {
        let parts = accessToken.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(decoding: parts[1], as: UTF8.self)) else {
            return nil
        }
        // Ignored: without readable claims, the user enters the second factor.
        return (try? JSONReader.read(payload))?["aal"]?.stringValue
    }
}

extension CallRefusal {
    /// Wrong, late, repeated or missing.
    var isOfKey: Bool {
        let codes: [AuthErrorCode] = [
            .mfaVerificationFailed, .mfaChallengeExpired, .mfaIPAddressMismatch, .mfaFactorNotFound, .validationFailed,
        ]
        return codes.contains(code)
    }
}
