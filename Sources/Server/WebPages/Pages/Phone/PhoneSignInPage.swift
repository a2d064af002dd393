import GatehouseWire
import HTTPServing
import HTTPTypes

/// With a texted code, which also signs up, or with a password.
struct PhoneSignInPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/sign-in/phone") { try await $0.show() },
        takes("/sign-in/phone") { try await $0.take() },
    ]

    mutating func show() async throws -> Outcome {
        guard try await visit.offer().hasPhone else { return .go(.signIn) }
        return .page(page())
    }

    mutating func take() async throws -> Outcome {
        guard let number = visit.typedNumber else { return .page(page(problem: visit.invalidNumber)) }
        do {
            return try await usesPassword ? signIn(number) : textCode(number)
        } catch let refusal as CallRefusal {
            return .page(page(refusal))
        }
    }
}

extension PhoneSignInPage {
    private var usesPassword: Bool { visit.fields["use"] == "password" }

    private mutating func textCode(_ number: String) async throws -> Outcome {
        let text = WebSession.AwaitedText(kind: .signIn, number: number, handover: visit.handoverOfForm)
        try await visit[CheckMessagesPage.self].request(text)
        return .go(.checkMessages)
    }

    private mutating func signIn(_ number: String) async throws -> Outcome {
        let password = visit.fields["password"] ?? ""
        var text = WebSession.AwaitedText(kind: .signUp, number: number, handover: visit.handoverOfForm)
        do {
            let json = try await visit.call(
                .post, "/token?grant_type=password",
                visit.solved(["phone": .string(number), "password": .string(password)]))
            return try await visit.signIn(json, for: visit.handoverOfForm)
        } catch let refusal as CallRefusal where refusal.code == .phoneNotConfirmed {
            visit.session.text = text
        } catch let refusal as CallRefusal where refusal.code == .credentialSetAside {
            text = WebSession.AwaitedText(
                kind: .setAsidePassword, number: number, handover: text.handover,
                // Longer passwords do not fit into the cookie; the user enters them again after the code.
                password: password.utf8.count <= 256 ? Secret(password) : nil)
            visit.session.text = text
        }
        return .go(.checkMessages)
    }

    private func page(_ refusal: CallRefusal? = nil, problem: String? = nil) -> Page {
        var page = Page(say("Sign in with Phone"))
        page.back = (say("Sign In"), Place.signIn.path)
        let problem = problem ?? refusal.flatMap(visit.numberProblem)
        if let refusal, problem == nil { page.notice = .problem(visit.message(for: refusal)) }
        var form = Form(
            action: Place.phoneSignIn.path, fields: visit.phoneFields(problem, hint: visit.loginHint?.number),
            hidden: visit.handoverFields, captcha: visit.captcha,
            button: usesPassword ? say("Sign In") : say("Text Me a Code"))
        page.blocks = visit.handoverSentence
        if usesPassword {
            form.fields.append(visit.passwordField(say("Password"), isNew: false))
            form.hidden.append(("use", "password"))
            page.blocks += [
                .form(form), .links([Link(title: say("Text Me a Code"), address: Place.phoneSignIn.path)]),
            ]
        } else {
            let other = Link(title: say("Use Your Password"), address: Place.phoneSignIn.path + "?use=password")
            page.blocks += [
                .text(say("We'll text you a code to sign in. You don't need a password.")), .form(form),
                .links([other]),
            ]
        }
        page.blocks += visit.earlierText(refusal)
        return page
    }
}
