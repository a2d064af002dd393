import GatehouseWire
import HTTPServing
import HTTPTypes

/// Ends signed in, at the choice of a password or passkey. The code keeps mail scanners, which open links and press
/// buttons, from accepting.
struct InvitationPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/invitation") { $0.show() },
        takes("/invitation") { try await $0.accept() },
    ]

    func show() -> Outcome {
        guard visit.fields["error"] == nil, visit.fields["token"] != nil else { return .page(endedPage) }
        return .page(page())
    }

    mutating func accept() async throws -> Outcome {
        do {
            let json = try await visit.call(
                .post, "/verify",
                [
                    "type": "invite", "token_hash": .string(visit.fields["token"] ?? ""),
                    "code": .string(visit.typedCode),
                ])
            visit.session.next = .newPassword
            return try await visit.signIn(json, for: nil)
        } catch let refusal as CallRefusal {
            return .page(page(.problem(visit.message(for: refusal))))
        }
    }
}

extension InvitationPage {
    private func page(_ notice: Notice? = nil) -> Page {
        let name = pages.settings.branding.name
        var page = Page(
            say("You're Invited"),
            [
                .text(
                    name.isEmpty
                        ? say("Enter the code from the email to accept the invitation.")
                        : say("Enter the code from the email to accept the invitation to %@.", name)),
                .form(
                    Form(
                        action: Place.invitation.path, fields: [visit.codeField],
                        hidden: [("token", visit.fields["token"] ?? "")], button: say("Continue"))),
            ])
        page.notice = notice
        return page
    }

    private var endedPage: Page {
        var page = Page(
            say("Invitation Ended"),
            [
                .text(
                    visit.both(
                        say("The invitation has expired or was already accepted."),
                        say("Sign in, or ask for a new invitation."))),
                .links([Link(title: say("Sign In"), address: Place.signIn.path)]),
            ])
        page.status = .notFound
        return page
    }
}
