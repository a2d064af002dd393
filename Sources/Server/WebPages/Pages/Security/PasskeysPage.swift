import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

// A user's passkeys. The script of the page creates them; the rest works without it.
extension WebPages {
    @Sendable func showPasskeys(_ visit: inout Visit) async throws -> Outcome {
        guard try await visit.offer().hasPasskeys else { return .go(.security) }
        return .page(try await visit.passkeysPage())
    }

    /// Begins to add a passkey, or takes the browser's answer, as the field `act` says.
    @Sendable func addPasskey(_ visit: inout Visit) async throws -> Outcome {
        do {
            if visit.fields["act"] == "add" { return .page(try await visit.newPasskeyPage()) }
            guard let credential = Ceremony.answer(visit.fields[Ceremony.credential]) else {
                return .page(try await visit.passkeysPage(.problem(visit.ceremonyProblem)))
            }
            try await visit.callAsUser(
                .post, "/passkeys/registration/verify",
                ["challenge_id": .string(visit.challengeOfForm), "credential": credential])
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(try await visit.passkeysPage(.problem(visit.message(for: refusal))))
        }
        visit.session.flash = .passkeyAdded
        return .go(.passkeys)
    }

    @Sendable func showPasskey(_ visit: inout Visit) async throws -> Outcome {
        guard let passkey = try await visit.namedPasskey() else { return .go(.passkeys) }
        return .page(visit.passkeyPage(passkey))
    }

    /// Renames or removes, as the field `act` says.
    @Sendable func changePasskey(_ visit: inout Visit) async throws -> Outcome {
        guard let passkey = try await visit.namedPasskey() else { return .go(.passkeys) }
        let path = "/passkeys/\(passkey.id.uuidString.lowercased())"
        do {
            if visit.fields["act"] == "remove" {
                try await visit.callAsUser(.delete, path)
                visit.session.flash = .passkeyRemoved
            } else {
                let name = visit.fields["name"] ?? ""
                guard !name.isBlank else {
                    let text = visit.both(visit.say("The name is missing."), visit.say("Please enter a name."))
                    return .page(visit.passkeyPage(passkey, .problem(text)))
                }
                try await visit.callAsUser(.patch, path, ["friendly_name": .string(name)])
                visit.session.flash = .changesSaved
            }
        } catch let refusal as CallRefusal where !refusal.needsProof {
            // The limit is in bytes, which mean nothing to a user.
            let text =
                refusal.code == .validationFailed
                ? visit.both(visit.say("The name is too long."), visit.say("Please enter a shorter name."))
                : visit.message(for: refusal)
            return .page(visit.passkeyPage(passkey, .problem(text)))
        }
        return .go(.passkeys)
    }
}

extension Visit {
    /// Of a form with a ``Ceremony``.
    var challengeOfForm: String { (fields["challenge"] ?? "").cut(to: 1_024) }

    /// What the user reads if the browser could not answer.
    var ceremonyProblem: String {
        fields[Ceremony.failure] == "InvalidStateError"
            ? passkeyExists
            : say("The passkey did not work. Please try again.")
    }

    fileprivate mutating func namedPasskey() async throws -> AuthPasskey? {
        let id = UUID(uuidString: (fields["id"] ?? "").cut(to: 36))
        return try AuthPasskey.list(json: await callAsUser(.get, "/passkeys")).first { $0.id == id }
    }

    fileprivate mutating func passkeysPage(_ notice: Notice? = nil) async throws -> Page {
        let passkeys = try AuthPasskey.list(json: await callAsUser(.get, "/passkeys"))
        var page = accountPage(say("Passkeys"), notice)
        page.back = (say("Security"), Place.security.path)
        page.blocks = [
            .soft(say("A passkey signs you in with your face, your fingerprint or your screen lock."))
        ]
        if !passkeys.isEmpty { page.blocks.append(.rows(passkeys.map(row))) }
        page.blocks.append(
            .form(Form(action: Place.passkeys.path, hidden: [("act", "add")], button: say("Add a Passkey"))))
        return page
    }

    /// Where the browser creates a passkey. Its options need a fresh sign-in and are limited in number, so the list of the
    /// passkeys does without them.
    fileprivate mutating func newPasskeyPage() async throws -> Page {
        let begun = try await callAsUser(.post, "/passkeys/registration/options")
        var page = Page(say("Add a Passkey"))
        page.back = (say("Passkeys"), Place.passkeys.path)
        page.blocks = [
            .text(say("A passkey signs you in with your face, your fingerprint or your screen lock.")),
            .form(
                Form(
                    action: Place.passkeys.path, hidden: [("challenge", begun["challenge_id"]?.stringValue ?? "")],
                    ceremony: Ceremony(kind: .create, options: begun["options"] ?? .null), button: say("Continue"))),
            .unscripted(say("This browser cannot add passkeys, or does not allow scripts.")),
        ]
        return page
    }

    private func row(_ passkey: AuthPasskey) -> Row {
        let name = passkey.shownName
        var row = Row(title: name, details: [say("Added on %@.", language.day(passkey.createdAt))])
        if let last = passkey.lastUsedAt { row.details.append(say("Last used %@", language.day(last))) }
        if passkey.setAsideAt != nil {
            row.details.append(say("Set aside. Sign in with it and enter the code we email you to use it again."))
        }
        row.link = Link(title: say("Change"), address: Place.passkey.path + "?id=" + passkey.id.uuidString.lowercased())
        row.linkLabel = say("Change %@", name)
        return row
    }

    fileprivate func passkeyPage(_ passkey: AuthPasskey, _ notice: Notice? = nil) -> Page {
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
                            kind: .text, name: "name", label: say("Name"), value: entered("name") ?? passkey.shownName,
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

extension AuthPasskey {
    /// The name in lists.
    var shownName: String {
        let name = (friendlyName ?? "").shown
        return name.isBlank ? "Passkey" : name
    }
}

extension String {
    fileprivate var isBlank: Bool { utf8.allSatisfy { $0 <= 0x20 } }
}
