import GatehouseWire
import HTTPServing
import HTTPTypes

struct DeletionPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/delete") { try await $0.show() },
        takes("/delete") { try await $0.delete() },
    ]

    mutating func show() async throws -> Outcome {
        guard pages.settings.hasGateway else { return .go(.home) }
        let user = try await visit.user()
        return .page(page(user))
    }

    mutating func delete() async throws -> Outcome {
        guard pages.settings.hasGateway, visit.fields["sure"] == "yes" else { return .go(.delete) }
        try await visit.callAsUser(.delete, "/v1/auth/me", api: .gateway)
        visit.signOut(.accountDeleted)
        return .go(.signIn)
    }
}

extension DeletionPage {
    private func page(_ user: AuthUser) -> Page {
        var page = visit.accountPage(say("Delete Account"))
        page.blocks = [
            .soft(visit.emailSentence(of: user)),
            .text(say("This will permanently delete your account and all your data. This cannot be undone.")),
            .form(
                Form(
                    action: Place.delete.path,
                    fields: [Field(kind: .checkbox, name: "sure", label: say("I want to delete my account."))],
                    button: say("Delete Account"), style: .danger)),
        ]
        return page
    }
}
