import GatehouseWire
import HTTPServing
import HTTPTypes

/// For the code that an administrator sent, in any browser.
struct RecoveryPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/recover") { $0.show() },
        takes("/recover") { try await $0.recover() },
    ]

    mutating func show() -> Outcome {
        guard visit.fields["error"] == nil else {
            // The link is expired or used.
            visit.session.flash = .linkFailed
            return .go(.forgotPassword)
        }
        return .page(page())
    }

    mutating func recover() async throws -> Outcome {
        do {
            let json = try await visit.call(
                .post, "/verify",
                [
                    "type": "recovery", "email": .string(visit.fields["email"] ?? ""),
                    "token": .string(visit.typedCode),
                ])
            visit.session.next = .newPassword
            return try await visit.signIn(json, for: nil)
        } catch let refusal as CallRefusal {
            return .page(page(.problem(visit.message(for: refusal))))
        }
    }
}

extension RecoveryPage {
    private func page(_ notice: Notice? = nil) -> Page {
        var page = Page(
            say("Set a Password"),
            [
                .text(say("Enter your email and the code that we've sent to it.")),
                .form(
                    Form(
                        action: Place.recover.path,
                        fields: [visit.emailField(visit.entered("email")), visit.codeField],
                        button: say("Continue"))),
                .links([Link(title: say("Forgot password?"), address: Place.forgotPassword.path)]),
            ])
        page.notice = notice
        page.back = (say("Sign In"), Place.signIn.path)
        return page
    }
}
