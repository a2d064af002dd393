import GatehouseWire
import HTTPServing
import HTTPTypes

/// On the sign-in page, or on a separate page after a captcha.
struct PasskeySignInPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/sign-in/passkey") { try await $0.show() },
        takes("/sign-in/passkey") { try await $0.signIn() },
    ]

    mutating func show() async throws -> Outcome {
        guard visit.captcha != nil, try await visit.offer().hasPasskeys else { return .go(.signIn) }
        return .page(page)
    }

    mutating func signIn() async throws -> Outcome {
        if visit.fields["act"] == "begin" { return try await begin() }
        let challenge = visit.challengeOfForm
        // Challenges are single-use.
        visit.session.challenge = nil
        let question = questionOfForm
        guard let credential = Ceremony.answer(visit.fields[Ceremony.credential]) else {
            return .page(try await pageBefore(question, .problem(visit.ceremonyProblem)))
        }
        do {
            let json = try await visit.call(
                .post, "/passkeys/authentication/verify",
                ["challenge_id": .string(challenge), "credential": credential])
            if question != nil { visit.session.question?.isAnswered = true }
            return try await visit.signIn(json, for: question?.handover ?? visit.handoverOfForm)
        } catch let refusal as CallRefusal where refusal.setAsideTicket != nil {
            if question != nil { visit.session.question?.isAnswered = true }
            visit.session.mail = WebSession.AwaitedMail(
                kind: .setAsidePasskey, email: "", handover: question?.handover ?? visit.handoverOfForm,
                ticket: refusal.setAsideTicket.map { Secret($0.text) })
            return .go(.checkMail)
        } catch let refusal as CallRefusal {
            return .page(try await pageBefore(question, .problem(visit.message(for: refusal))))
        }
    }

    private mutating func begin() async throws -> Outcome {
        var page = page
        do {
            let begun = try await visit.call(.post, "/passkeys/authentication/options", visit.solved([:]))
            let challenge = WebSession.Challenge(begun)
            page.blocks =
                visit.handoverSentence + [
                    .form(form(challenge, start: .atOnce, isForQuestion: questionOfForm != nil)),
                    .unscripted(say("This browser can't use passkeys, or doesn't allow scripts.")),
                ]
        } catch let refusal as CallRefusal {
            page.notice = .problem(visit.message(for: refusal))
        }
        return .page(page)
    }
}

extension PasskeySignInPage {
    /// A browser reuses its challenge until it is used or expired, because the server limits challenges by address.
    ///
    /// - Throws: ``CallFailed``.
    mutating func button(for question: WebSession.Question? = nil) async throws -> Block? {
        if visit.captcha != nil {
            return .buttons([
                Link(
                    title: say("Sign in with a Passkey"),
                    address: Place.passkeySignIn.path + (question == nil ? visit.handoverQuery : "?link=yes"),
                    symbol: "passkey")
            ])
        }
        if visit.session.challenge.map({ $0.expiresAt <= pages.now().seconds + 60 }) ?? true {
            do {
                visit.session.challenge = WebSession.Challenge(
                    try await visit.call(.post, "/passkeys/authentication/options"))
            } catch is CallRefusal {
                // Too many from this address; other sign-in methods remain.
                visit.session.challenge = nil
            }
        }
        return visit.session.challenge.map {
            .form(form($0, start: question == nil ? .inField : .byPress, isForQuestion: question != nil))
        }
    }

    private var questionOfForm: WebSession.Question? { visit.fields["link"] == nil ? nil : visit.session.question }

    private mutating func pageBefore(_ question: WebSession.Question?, _ notice: Notice) async throws -> Page {
        if let question { return try await visit[LinkQuestionPage.self].page(question, notice) }
        return try await visit[SignInPage.self].page(notice)
    }

    private func purposeFields(isForQuestion: Bool) -> [(name: String, value: String)] {
        isForQuestion ? [("link", "yes")] : visit.handoverFields
    }

    private func form(
        _ challenge: WebSession.Challenge, start: Ceremony.Start, isForQuestion: Bool
    ) -> Form {
        Form(
            action: Place.passkeySignIn.path,
            hidden: [("challenge", challenge.id)] + purposeFields(isForQuestion: isForQuestion),
            ceremony: Ceremony(kind: .get, options: challenge.options, start: start),
            button: say("Sign in with a Passkey"), symbol: "passkey", style: .plain)
    }

    private var page: Page {
        var page = Page(say("Sign in with a Passkey"))
        let isForQuestion = questionOfForm != nil
        page.back =
            isForQuestion ? (say("Link Accounts"), Place.linkQuestion.path) : (say("Sign In"), Place.signIn.path)
        page.blocks =
            visit.handoverSentence + [
                .form(
                    Form(
                        action: Place.passkeySignIn.path,
                        hidden: [("act", "begin")] + purposeFields(isForQuestion: isForQuestion),
                        captcha: visit.captcha,
                        button: say("Continue")))
            ]
        return page
    }
}

extension WebSession.Challenge {
    fileprivate init(_ begun: AuthJSON) {
        self.init(
            id: begun["challenge_id"]?.stringValue ?? "", options: begun["options"] ?? .null,
            expiresAt: begun["expires_at"]?.intValue ?? 0)
    }
}
