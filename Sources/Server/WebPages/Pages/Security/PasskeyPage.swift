import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

struct PasskeyPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/passkeys/passkey") { try await $0.show() },
        takes("/passkeys/passkey") { try await $0.change() },
    ]

    mutating func show() async throws -> Outcome {
        guard let passkey = try await namedPasskey() else { return .go(.passkeys) }
        return .page(page(passkey))
    }

    /// The field `act` decides.
    mutating func change() async throws -> Outcome {
        guard let passkey = try await namedPasskey() else { return .go(.passkeys) }
        let path = "/passkeys/\(passkey.id.uuidString.lowercased())"
        do {
            if visit.fields["act"] == "remove" {
                try await visit.callAsUser(.delete, path)
                visit.session.flash = .passkeyRemoved
            } else {
                let name = visit.fields["name"] ?? ""
                guard !name.isBlank else {
                    let text = visit.both(say("The name is missing."), say("Please enter a name."))
                    return .page(page(passkey, .problem(text)))
                }
                try await visit.callAsUser(.patch, path, ["friendly_name": .string(name)])
                visit.session.flash = .changesSaved
            }
        } catch let refusal as CallRefusal where !refusal.needsProof {
            // The limit is in bytes, which mean nothing to a user.
            let text =
                refusal.code == .validationFailed
                ? visit.both(say("The name is too long."), say("Please enter a shorter name."))
                : visit.message(for: refusal)
            return .page(page(passkey, .problem(text)))
        }
        return .go(.passkeys)
    }
}

extension PasskeyPage {
    private mutating func namedPasskey() async throws -> AuthPasskey? {
        let id = UUID(uuidString: (visit.fields["id"] ?? "").cut(to: 36))
        return try AuthPasskey.list(json: await visit.callAsUser(.get, "/passkeys")).first { $0.id == id }
    }

    private func page(_ passkey: AuthPasskey, _ notice: Notice? = nil) -> Page {
        var page = Page(passkey.shownName)
        page.notice = notice
        page.back = (say("Passkeys"), Place.passkeys.path)
        let id = passkey.id.uuidString.lowercased()
        page.blocks = [
            .form(
                Form(
                    action: Place.passkey.path,
                    fields: [
                        Field(
                            kind: .text, name: "name", label: say("Name"),
                            value: visit.entered("name") ?? passkey.shownName,
                            maximumLength: 120)
                    ], hidden: [("id", id), ("act", "rename")], button: say("Save"))),
            .heading(say("Remove This Passkey")),
            .text(say("You can no longer sign in with it. Delete it in your password manager, too.")),
            .form(
                Form(
                    action: Place.passkey.path, hidden: [("id", id), ("act", "remove")], button: say("Remove"),
                    label: say("Remove %@", passkey.shownName), style: .danger)),
        ]
        return page
    }
}

extension String {
    var isBlank: Bool { utf8.allSatisfy { $0 <= 0x20 } }
}
