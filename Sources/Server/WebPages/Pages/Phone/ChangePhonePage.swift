import GatehouseWire
import HTTPServing
import HTTPTypes

struct ChangePhonePage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/phone") { try await $0.show() },
        takes("/phone") { try await $0.change() },
    ]

    /// Leads to the code while a change is pending.
    mutating func show() async throws -> Outcome {
        let user = try await visit.user()
        if let pending = user.newPhone, visit.session.text?.number != "+" + pending {
            visit.session.text = WebSession.AwaitedText(kind: .change, number: "+" + pending)
        }
        return .page(page(user))
    }

    mutating func change() async throws -> Outcome {
        let user = try await visit.user()
        guard let number = visit.typedNumber else { return .page(page(user, problem: visit.invalidNumber)) }
        guard number != user.phone.map({ "+" + $0 }) else {
            return .page(page(user, problem: say("You already use this phone number. Enter another one.")))
        }
        var body: AuthJSONObject = ["phone": .string(number)]
        body["current_password"] = visit.fields["current"].map(AuthJSON.string)
        do {
            let changed = try AuthUser(json: await visit.callAsUser(.put, "/user", body))
            guard changed.newPhone != nil else {
                visit.session.flash = .phoneChanged
                return .go(.home)
            }
            visit.session.text = WebSession.AwaitedText(kind: .change, number: number)
            return .go(.checkMessages)
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(page(user, refusal))
        }
    }
}

extension ChangePhonePage {
    private func page(_ user: AuthUser, _ refusal: CallRefusal? = nil, problem: String? = nil) -> Page {
        var page = visit.accountPage(user.phone == nil ? say("Add Phone Number") : say("Change Phone Number"))
        let problem = problem ?? refusal.flatMap(visit.numberProblem)
        if let refusal, problem == nil { page.notice = .problem(visit.message(for: refusal)) }
        if let current = user.phone {
            page.blocks.append(.soft(say("Your phone number is %@.", CallingCode.formatted(current))))
        }
        if let pending = user.newPhone, visit.session.text?.kind == .change {
            let title = say("Enter the Code Sent to %@", CallingCode.formatted(pending))
            page.blocks.append(.links([Link(title: title, address: Place.checkMessages.path)]))
        }
        var fields = visit.phoneFields(problem)
        if refusal?.code == .currentPasswordRequired || visit.entered("current") != nil {
            fields.append(visit.passwordField(say("Current Password"), name: "current", isNew: false))
        }
        page.blocks.append(.form(Form(action: Place.phone.path, fields: fields, button: say("Text Me a Code"))))
        return page
    }
}
