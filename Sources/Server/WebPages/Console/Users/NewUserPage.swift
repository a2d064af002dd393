import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// Forms that create or invite a user.
struct NewUserPage: ConsolePage {
    var visit: Visit

    static let createPath = Site.console.prefix + "/create-user"
    static let invitePath = Site.console.prefix + "/invite-user"

    static let routes = [
        shows("/create-user") { $0.show(isInvitation: false) },
        takes("/create-user") { try await $0.take(isInvitation: false) },
        shows("/invite-user") { $0.show(isInvitation: true) },
        takes("/invite-user") { try await $0.take(isInvitation: true) },
    ]

    /// For the list of users.
    static let links = [
        Link(title: "Create User", address: createPath), Link(title: "Invite User", address: invitePath),
    ]

    private mutating func show(isInvitation: Bool) -> Outcome {
        visit.isInConsole ? .page(form(isInvitation: isInvitation)) : visit.goToConsoleSignIn(nil)
    }

    private mutating func take(isInvitation: Bool) async throws -> Outcome {
        let answer: AuthJSON
        do {
            answer =
                isInvitation
                ? try await callAsAdmin(.post, "/invite", UserForm.invited(visit.fields))
                : try await callAsAdmin(.post, "/admin/users", try UserForm.created(visit.fields))
        } catch let problem as UserForm.Problem {
            return .page(form(isInvitation: isInvitation, .problem(problem.sentence)))
        } catch let refusal as AdminRefusal where refusal.cause.status != 404 {
            return .page(form(isInvitation: isInvitation, .problem(sentence(refusal))))
        }
        let user = FoundUser(answer)
        visit.session.sentence =
            isInvitation ? "The invitation to \(user.name) is on its way." : "\(user.name) was created."
        return .move(user.path)
    }

    private func sentence(_ refusal: AdminRefusal) -> String {
        switch refusal.cause.code {
        case .emailExists: "An account with this email exists."
        case .phoneExists: "An account with this phone number exists."
        case .validationFailed: "The email or phone number is invalid."
        case .weakPassword: visit.message(for: refusal.cause)
        default: refusal.sentence
        }
    }

    private func form(isInvitation: Bool, _ notice: Notice? = nil) -> Page {
        let title = isInvitation ? "Invite User" : "Create User"
        let form = Form(
            action: isInvitation ? Self.invitePath : Self.createPath,
            fields: UserForm.newFields(visit.fields, isInvitation: isInvitation), button: title)
        var page = Page(title)
        page.notice = notice
        page.back = (ConsolePlace.users.title, ConsolePlace.users.path)
        page.blocks = [
            .text(
                isInvitation
                    ? "Emails a code and a link. The user enters the code, and chooses a password or passkey."
                    : "Creates an account without an email. To have the user confirm the address, invite instead."),
            .form(form), .links([Link(title: "Cancel", address: ConsolePlace.users.path)]),
        ]
        return page
    }
}
