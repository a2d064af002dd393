import GatehouseWire
import HTTPTypes

struct CheckMailPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/check-mail") { $0.show() },
        takes("/check-mail") { try await $0.enterCode() },
        takes("/check-mail/again") { try await $0.mailAgain() },
        takes("/check-mail/other") { $0.enterOtherCode() },
    ]

    func show() -> Outcome {
        guard let mail = visit.session.mail else { return .go(visit.isSignedIn ? .home : .signIn) }
        return .page(page(mail))
    }

    mutating func enterCode() async throws -> Outcome {
        guard let mail = visit.session.mail else { return .go(.signIn) }
        let type: AuthJSON =
            switch mail.kind {
            case .signUp: "signup"
            case .signIn, .setAsidePassword, .setAsidePasskey: "email"
            case .recovery: "recovery"
            case .emailChange: "email_change"
            }
        do {
            var body: AuthJSONObject = ["type": type, "token": .string(visit.typedCode)]
            body["email"] = mail.email.isEmpty ? nil : .string(mail.email)
            body["password"] = mail.password.map { .string($0.reveal()) }
            body["set_aside_ticket"] = mail.ticket.map { .string($0.reveal()) }
            // Several accounts may change to one address; the token names the account.
            let json =
                mail.kind == .emailChange && visit.isSignedIn
                ? try await visit.callAsUser(.post, "/verify", body) : try await visit.call(.post, "/verify", body)
            if case .pending = try AuthAnswer(json: json) {
                visit.session.flash = .confirmOther
                guard let other = mail.swapped else { return .go(visit.isSignedIn ? .home : .signIn) }
                visit.session.mail = other
                return .go(.checkMail)
            }
            if mail.kind == .recovery { visit.session.next = .newPassword }
            let outcome = try await visit.signIn(json, for: mail.handover)
            if mail.kind == .emailChange { visit.session.flash = .emailChanged }
            return outcome
        } catch let refusal as CallRefusal {
            return .page(page(mail, .problem(visit.message(for: refusal))))
        }
    }

    mutating func mailAgain() async throws -> Outcome {
        guard let mail = visit.session.mail else { return .go(.signIn) }
        do {
            try await visit[MailRequestPage.self].request(mail)
        } catch let refusal as CallRefusal {
            return .page(page(mail, .problem(visit.message(for: refusal))))
        }
        visit.session.flash = .mailSent
        return .go(.checkMail)
    }

    /// The other mail's code comes first.
    mutating func enterOtherCode() -> Outcome {
        if let other = visit.session.mail?.swapped { visit.session.mail = other }
        return .go(.checkMail)
    }
}

extension CheckMailPage {
    private func page(_ mail: WebSession.AwaitedMail, _ notice: Notice? = nil) -> Page {
        var page = Page(
            say("Check your email"),
            [
                .text(sentence(mail)), .soft(use(mail)),
                mail.kind == .emailChange && mail.other != nil
                    ? .soft(say("Until then, your email stays as it is.")) : nil,
                .form(Form(action: Place.checkMail.path, fields: [visit.codeField], button: say("Continue"))),
                mail.other.map { other in
                    .form(
                        Form(
                            action: Place.checkMail.path + "/other",
                            button: say("Enter the Code Sent to %@", other.readableAddress),
                            style: .plain))
                },
                // Signing in with the passkey again sends another one.
                mail.kind == .setAsidePasskey
                    ? nil
                    : .form(
                        Form(
                            action: Place.checkMail.path + "/again", captcha: visit.captcha, button: say("Send Again"),
                            style: .plain)),
            ].compactMap(\.self))
        page.notice = notice
        page.back = visit.isSignedIn ? (say("Account"), Place.home.path) : (say("Sign In"), Place.signIn.path)
        return page
    }

    private func sentence(_ mail: WebSession.AwaitedMail) -> String {
        switch mail.kind {
        // It may be another account's, which a sign-up does not reveal.
        case .emailChange where mail.other == nil:
            say("If %@ can be used here, we've sent a code to it.", mail.email.readableAddress)
        case .emailChange, .setAsidePassword: say("We've sent a code to %@.", mail.email.readableAddress)
        case .setAsidePasskey: say("We've sent a code to your account's email.")
        case .signUp, .signIn, .recovery:
            say("If %@ can be used here, we've sent a code to it.", mail.email.readableAddress)
        }
    }

    private func use(_ mail: WebSession.AwaitedMail) -> String {
        switch mail.kind {
        case .setAsidePassword: say("Enter the code we emailed you to keep using this password.")
        case .setAsidePasskey: say("Enter the code we emailed you to keep using this passkey.")
        case .signUp, .signIn, .recovery, .emailChange:
            say("Enter it here, or open the link in the email on this device.")
        }
    }
}
