import GatehouseWire
import HTTPServing
import HTTPTypes

/// After an emailed code.
struct NewPasswordPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/new-password") { try await $0.show() },
        takes("/new-password") { try await $0.save() },
    ]

    mutating func show() async throws -> Outcome {
        _ = try await visit.user()
        return .page(page(try await visit.offer()))
    }

    mutating func save() async throws -> Outcome {
        let offer = try await visit.offer()
        if let problem = confirmationProblem {
            return .page(page(offer, .problem(problem)))
        }
        do {
            var body: AuthJSONObject = ["password": .string(visit.fields["password"] ?? "")]
            body["current_password"] = visit.fields["current"].map(AuthJSON.string)
            try await visit.callAsUser(.put, "/user", body)
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(page(offer, .problem(visit.message(for: refusal)), asks: refusal.code))
        }
        visit.session.flash = .passwordSaved
        return .go(visit.session.asked?.place ?? (visit.session.handover == nil ? .home : .goOn))
    }
}

extension NewPasswordPage {
    var confirmationProblem: String? {
        visit.fields["password"] == visit.fields["confirmation"]
            ? nil : say("Passwords don't match.")
    }

    /// Includes the current password once the server asks for it (`asks`).
    func fields(_ offer: ServerOffer, _ asks: AuthErrorCode?) -> [Field] {
        var password = visit.passwordField(say("New Password"), isNew: true, minimum: offer.passwordLength)
        password.hint = say("Password must be at least %@ characters.", String(offer.passwordLength))
        let current =
            asks == .currentPasswordRequired || visit.entered("current") != nil
            ? [visit.passwordField(say("Current Password"), name: "current", isNew: false)] : []
        return current + [password, visit.passwordField(say("Confirm Password"), name: "confirmation", isNew: true)]
    }

    private func page(
        _ offer: ServerOffer, _ notice: Notice? = nil, asks: AuthErrorCode? = nil
    ) -> Page {
        let fields = fields(offer, asks)
        var page = Page(
            say("Set a Password"),
            [
                .form(
                    Form(
                        action: Place.newPassword.path, fields: fields,
                        hidden: [("minimum", String(offer.passwordLength))], button: say("Save Password"))),
                .soft(say("Your other devices will be signed out when you save.")),
            ])
        // The emailed code is too old to replace a forgotten password.
        if offer.hasMail, fields.count > 2 {
            page.blocks.append(.links([Link(title: say("Forgot password?"), address: Place.forgotPassword.path)]))
        }
        if offer.hasPasskeys {
            page.blocks.append(.links([Link(title: say("Add a Passkey"), address: Place.passkeys.path)]))
        }
        page.notice = notice
        return page
    }
}
