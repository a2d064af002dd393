import GatehouseWire
import HTTPServing
import HTTPTypes

struct MailRequestPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/sign-in/code") { $0.showCodeRequest() },
        takes("/sign-in/code") { await $0.mailCode() },
        shows("/forgot-password") { $0.showForgotPassword() },
        takes("/forgot-password") { await $0.mailRecovery() },
    ]

    func showCodeRequest() -> Outcome {
        .page(page(.signInCode, say("Email Me a Code"), codeSentence))
    }

    mutating func mailCode() async -> Outcome {
        await send(.signIn) { $0.page(.signInCode, $0.say("Email Me a Code"), $0.codeSentence, $1) }
    }

    func showForgotPassword() -> Outcome {
        .page(page(.forgotPassword, say("Forgot password?"), recoverySentence))
    }

    mutating func mailRecovery() async -> Outcome {
        await send(.recovery) { $0.page(.forgotPassword, $0.say("Forgot password?"), $0.recoverySentence, $1) }
    }

    private mutating func send(
        _ kind: WebSession.AwaitedMail.Kind, _ page: (Self, Notice) -> Page
    ) async -> Outcome {
        let mail = WebSession.AwaitedMail(
            kind: kind, email: (visit.fields["email"] ?? "").cut(to: 254), handover: visit.handoverOfForm)
        do {
            try await request(mail)
        } catch let refusal as CallRefusal {
            return .page(page(self, .problem(visit.message(for: refusal))))
        } catch {
            return .page(
                page(self, .problem(say("Service temporarily unavailable. Please try again later."))))
        }
        return .go(.checkMail)
    }
}

extension MailRequestPage {
    private var codeSentence: String {
        say("We'll email you a code to sign in. You don't need a password.")
    }

    private var recoverySentence: String {
        say("We'll email you a code to set a new password.")
    }

    /// - Throws: As ``Visit/call(_:_:_:api:bearer:)``.
    mutating func request(_ mail: WebSession.AwaitedMail) async throws {
        if mail.kind == .emailChange { return try await visit[ChangeEmailPage.self].requestChange(mail) }
        let purpose: WebSession.Flow.Purpose = mail.kind == .recovery ? .recovery : .mail
        try await visit.beginning(purpose, for: mail.handover) { visit, challenge in
            var body: AuthJSONObject = [
                "email": .string(mail.email), "code_challenge": challenge, "code_challenge_method": "s256",
            ]
            switch mail.kind {
            case .signIn, .setAsidePassword, .setAsidePasskey:
                try await visit.call(.post, "/otp?\(visit.pages.backHere)", visit.solved(body))
            case .recovery: try await visit.call(.post, "/recover?\(visit.pages.backHere)", visit.solved(body))
            case .signUp, .emailChange:
                body["type"] = "signup"
                try await visit.call(.post, "/resend?\(visit.pages.backHere)", visit.solved(body))
            }
        }
        visit.session.mail = mail
    }

    /// After a refused request, links to an earlier mail's code.
    func earlierMail(_ notice: Notice?) -> [Block] {
        guard notice?.isProblem == true, let mail = visit.session.mail else { return [] }
        return [
            .links([Link(title: say("Enter the Code Sent to %@", mail.email), address: Place.checkMail.path)])
        ]
    }

    private func page(_ place: Place, _ title: String, _ sentence: String, _ notice: Notice? = nil) -> Page {
        let address = visit.emailField(visit.entered("email") ?? visit.loginHint?.email)
        var page = Page(
            title,
            visit.handoverSentence + [
                .text(sentence),
                .form(
                    Form(
                        action: place.path, fields: [address],
                        hidden: visit.handoverFields,
                        captcha: visit.captcha, button: say("Send Email"))),
            ] + earlierMail(notice))
        page.notice = notice
        page.back = (say("Sign In"), Place.signIn.path)
        return page
    }
}
