import GatehouseWire
import HTTPServing
import HTTPTypes

/// For a texted code.
struct CheckMessagesPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/check-messages") { $0.show() },
        takes("/check-messages") { try await $0.enterCode() },
        takes("/check-messages/again") { try await $0.textAgain() },
    ]

    func show() -> Outcome {
        guard let text = visit.session.text else { return .go(visit.isSignedIn ? .home : .signIn) }
        return .page(page(text))
    }

    mutating func enterCode() async throws -> Outcome {
        guard let text = visit.session.text else { return .go(.signIn) }
        var body: AuthJSONObject = [
            "type": text.kind == .change ? "phone_change" : "sms", "phone": .string(text.number),
            "token": .string(visit.typedCode),
        ]
        body["password"] = text.password.map { .string($0.reveal()) }
        do {
            // Several accounts may change to one number; the token names the account.
            let json =
                text.kind == .change && visit.isSignedIn
                ? try await visit.callAsUser(.post, "/verify", body) : try await visit.call(.post, "/verify", body)
            let outcome = try await visit.signIn(json, for: text.handover)
            if text.kind == .change { visit.session.flash = .phoneChanged }
            return outcome
        } catch let refusal as CallRefusal {
            return .page(page(text, refusal))
        }
    }

    mutating func textAgain() async throws -> Outcome {
        guard let text = visit.session.text else { return .go(.signIn) }
        do {
            try await request(text)
        } catch let refusal as CallRefusal {
            var page = page(text)
            page.notice = .problem(visit.numberProblem(refusal) ?? visit.message(for: refusal))
            return .page(page)
        }
        visit.session.flash = .textSent
        return .go(.checkMessages)
    }
}

extension CheckMessagesPage {
    /// - Throws: As ``Visit/call(_:_:_:api:bearer:)``.
    mutating func request(_ text: WebSession.AwaitedText) async throws {
        var body: AuthJSONObject = ["phone": .string(text.number)]
        switch text.kind {
        case .signIn, .setAsidePassword: try await visit.call(.post, "/otp", visit.solved(body))
        case .signUp, .change:
            body["type"] = text.kind == .signUp ? "sms" : "phone_change"
            try await visit.call(.post, "/resend", visit.solved(body))
        }
        visit.session.text = text
    }

    private func page(_ text: WebSession.AwaitedText, _ refusal: CallRefusal? = nil) -> Page {
        var page = Page(say("Check your messages"))
        page.back = visit.isSignedIn ? (say("Account"), Place.home.path) : (say("Sign In"), Place.signIn.path)
        page.blocks = [.text(sentence(text))]
        switch text.kind {
        case .signUp, .signIn: break
        case .change: page.blocks.append(.soft(say("Until then, your phone number stays as it is.")))
        case .setAsidePassword:
            page.blocks.append(.soft(say("Enter the code we texted you to keep using this password.")))
        }
        page.blocks += visit.textedCodeForms(
            at: Place.checkMessages.path, again: Place.checkMessages.path + "/again", captcha: visit.captcha, refusal)
        let other = text.kind == .change ? Place.phone : Place.phoneSignIn
        page.blocks.append(.links([Link(title: say("Use Another Number"), address: other.path)]))
        page.show(visit.textedCodeNotice(refusal))
        return page
    }

    private func sentence(_ text: WebSession.AwaitedText) -> String {
        let number = CallingCode.formatted(text.number)
        switch text.kind {
        // A response does not reveal whether there is such an account.
        case .signUp, .signIn: return say("If %@ can be used here, we've sent a code to it.", number)
        case .change, .setAsidePassword: return say("We've sent a code to %@.", number)
        }
    }
}

extension Visit {
    /// For the code, and for another message.
    ///
    /// - Parameter hidden: Of both forms.
    func textedCodeForms(
        at path: String, again: String, captcha: CaptchaWidget? = nil, _ refusal: CallRefusal?,
        hidden: [(name: String, value: String)] = []
    ) -> [Block] {
        var code = codeField
        code.problem = refusal.flatMap { isOfCode($0) ? message(for: $0) : nil }
        code.isFocused = true
        return [
            .form(Form(action: path, fields: [code], hidden: hidden, button: say("Continue"))),
            .form(Form(action: again, hidden: hidden, captcha: captcha, button: say("Send Again"), style: .plain)),
        ]
    }

    /// nil for a refused code, whose field says so.
    func textedCodeNotice(_ refusal: CallRefusal?) -> Notice? {
        refusal.flatMap { isOfCode($0) ? nil : .problem(numberProblem($0) ?? message(for: $0)) }
    }

    private func isOfCode(_ refusal: CallRefusal) -> Bool {
        let codes: [AuthErrorCode] = [
            .otpExpired, .mfaVerificationFailed, .mfaChallengeExpired, .mfaIPAddressMismatch, .validationFailed,
        ]
        return fields["code"] != nil && codes.contains(refusal.code)
    }
}

extension Page {
    /// - Parameter notice: nil keeps the current one.
    mutating func show(_ notice: Notice?) { self.notice = notice ?? self.notice }
}
