import GatehouseWire
import HTTPServing
import HTTPTypes

/// A provider's identity whose address belongs to an account (Docs/linking.md).
struct LinkQuestionPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/link") { try await $0.show() },
        takes("/link") { try await $0.answer() },
    ]

    mutating func show() async throws -> Outcome {
        guard let question = visit.session.question else { return .go(visit.isSignedIn ? .home : .signIn) }
        return .page(try await page(question))
    }

    mutating func answer() async throws -> Outcome {
        guard let question = visit.session.question else { return .go(.signIn) }
        let ticket = AuthJSON.string(question.ticket.reveal())
        visit.session.question?.isAnswered = false
        do {
            switch visit.fields["act"] {
            case "password":
                return try await visit.signIn(
                    visit.call(
                        .post, "/token?grant_type=link_confirmation",
                        [
                            "link_ticket": ticket, "email": .string(question.email),
                            "password": .string(visit.fields["password"] ?? ""),
                        ]), for: question.handover)
            case "mail":
                try await visit.call(.post, "/link/code", ["link_ticket": ticket])
                visit.session.question?.hasMailedCode = true
                visit.session.flash = .mailSent
                return .go(.linkQuestion)
            case "code":
                return try await visit.signIn(
                    visit.call(
                        .post, "/token?grant_type=link_confirmation",
                        ["link_ticket": ticket, "token": .string(visit.typedCode)]), for: question.handover)
            case "recover" where visit.fields["sure"] == "yes":
                return try await visit.signIn(
                    visit.call(.post, "/token?grant_type=link_recovery", ["link_ticket": ticket]),
                    for: question.handover)
            default: return .go(.linkQuestion)
            }
        } catch let refusal as CallRefusal {
            return try await refused(question, refusal)
        }
    }
}

extension LinkQuestionPage {
    /// - Parameter handover: The ``WebSession/Handover/id`` of the sign-in's app.
    mutating func ask(_ question: AuthLinkQuestion, for handover: String?) -> Place {
        visit.session.flow = nil
        visit.session.question = WebSession.Question(
            ticket: Secret(question.ticket.text), email: question.email, provider: question.provider,
            methods: question.signInMethods, canRecover: question.canRecover, canMailCode: question.canMailCode,
            canUsePasskey: question.canUsePasskey, handover: handover)
        return .linkQuestion
    }

    private mutating func refused(_ question: WebSession.Question, _ refusal: CallRefusal) async throws -> Outcome {
        switch refusal.code {
        case .insufficientAAL: return try await signInToLink(question)
        case .credentialSetAside:
            // The code signs in, which answers the question.
            visit.session.question?.isAnswered = true
            visit.session.mail = visit.mailOfForm(.setAsidePassword, of: question.email, for: question.handover)
            return .go(.checkMail)
        case .linkTicketNotFound, .linkTicketOutdated:
            visit.session.question = nil
            visit.session.flash = .tookTooLong
            return .go(.signIn)
        default: return .page(try await page(question, .problem(visit.message(for: refusal))))
        }
    }

    /// With a second factor, neither password nor emailed code links alone.
    private mutating func signInToLink(_ question: WebSession.Question) async throws -> Outcome {
        visit.session.question?.isAnswered = true
        if let password = visit.fields["password"], visit.captcha == nil {
            do {
                return try await visit.signIn(
                    visit.call(
                        .post, "/token?grant_type=password",
                        ["email": .string(question.email), "password": .string(password)]), for: question.handover)
            } catch is CallRefusal {
                // If refused again, the sign-in page explains why.
            }
        }
        visit.session.flash = .linkNeedsFactor
        // Without a next page, the sign-in page sends away users who are signed in, perhaps to another account.
        visit.session.next = visit.session.next ?? .home
        return .go(.signIn)
    }

    /// After a sign-in to the question's account.
    mutating func link(_ question: WebSession.Question) async throws -> Outcome {
        let json = try await visit.callAsUser(
            .post, "/token?grant_type=link_confirmation", ["link_ticket": .string(question.ticket.reveal())])
        let answer = try AuthSessionAnswer(json: json)
        guard answer.awaitsSecondStep else { return try await visit.signIn(json, for: question.handover) }
        // Keeps the sign-in's session, which has the second factor. Ignored: the new session is in the list of devices.
        _ = try? await visit.call(.post, "/logout?scope=local", bearer: Secret(answer.accessToken))
        visit.session.flash = .methodAdded
        return .go(visit.placeAfterSignIn())
    }

    mutating func page(_ question: WebSession.Question, _ notice: Notice? = nil) async throws -> Page {
        var page = Page(
            say("Link Accounts"),
            [.text(say("%@ already has an account. Sign in to it to link the two.", question.email.readableAddress))])
        page.notice = notice
        page.back = (say("Sign In"), Place.signIn.path)
        if question.methods.contains("password") {
            page.blocks.append(
                .form(
                    Form(
                        action: Place.linkQuestion.path,
                        fields: [visit.passwordField(say("Password"), isNew: false)], hidden: [("act", "password")],
                        button: say("Link with Password"))))
        }
        if question.canUsePasskey, let button = try await visit[PasskeySignInPage.self].button(for: question) {
            page.blocks.append(button)
        }
        let providers = question.methods.filter { $0 != "password" && $0 != "email" }
        if !providers.isEmpty {
            page.blocks.append(
                .buttons(
                    providers.map { name in
                        Link(
                            title: say("Sign in with %@", ProviderTitle.text(of: name)),
                            address: "\(Place.prefix)/provider/\(FormText.escape(name))?link=yes",
                            symbol: ServerOffer.symbol(name))
                    }))
        }
        if question.canMailCode { page.blocks.append(contentsOf: codeBlocks(question)) }
        if question.canRecover { page.blocks += recoveryBlocks }
        return page
    }

    private var recoveryBlocks: [Block] {
        [
            .heading(say("Start Over with This Email")),
            .text(say("The account that has this email now will lose it, but keep everything else.")),
            .form(
                Form(
                    action: Place.linkQuestion.path,
                    fields: [
                        Field(kind: .checkbox, name: "sure", label: say("I want to start over with this email."))
                    ], hidden: [("act", "recover")], button: say("Start Over with This Email"), style: .danger)),
        ]
    }

    private func codeBlocks(_ question: WebSession.Question) -> [Block] {
        let mail = Form(
            action: Place.linkQuestion.path, hidden: [("act", "mail")],
            button: question.hasMailedCode ? say("Send Again") : say("Email Me a Code"), style: .plain)
        guard question.hasMailedCode else { return [.form(mail)] }
        return [
            .form(
                Form(
                    action: Place.linkQuestion.path, fields: [visit.codeField], hidden: [("act", "code")],
                    button: say("Continue"))),
            .form(mail),
        ]
    }
}
