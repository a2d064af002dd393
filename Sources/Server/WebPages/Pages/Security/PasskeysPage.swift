import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

/// A script creates passkeys; the rest works without it.
struct PasskeysPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/passkeys") { try await $0.show() },
        takes("/passkeys") { try await $0.add() },
    ]

    mutating func show() async throws -> Outcome {
        guard try await visit.offer().hasPasskeys else { return .go(.security) }
        return .page(try await page())
    }

    /// The field `act` decides.
    mutating func add() async throws -> Outcome {
        do {
            if visit.fields["act"] == "add" { return .page(try await newPasskeyPage()) }
            guard let credential = Ceremony.answer(visit.fields[Ceremony.credential]) else {
                return .page(try await page(.problem(visit.ceremonyProblem)))
            }
            try await visit.callAsUser(
                .post, "/passkeys/registration/verify",
                ["challenge_id": .string(visit.challengeOfForm), "credential": credential])
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(try await page(.problem(visit.message(for: refusal))))
        }
        visit.session.flash = .passkeyAdded
        return .go(.passkeys)
    }
}

extension PasskeysPage {
    private mutating func page(_ notice: Notice? = nil) async throws -> Page {
        let passkeys = try AuthPasskey.list(json: await visit.callAsUser(.get, "/passkeys"))
        var page = visit.accountPage(say("Passkeys"), notice)
        page.back = (say("Security"), Place.security.path)
        page.blocks = [
            .soft(say("A passkey signs you in with your face, your fingerprint or your screen lock."))
        ]
        if !passkeys.isEmpty { page.blocks.append(.rows(passkeys.map(row))) }
        page.blocks.append(
            .form(Form(action: Place.passkeys.path, hidden: [("act", "add")], button: say("Add a Passkey"))))
        return page
    }

    /// Separate from the list: the options need a fresh sign-in and are limited in number.
    private mutating func newPasskeyPage() async throws -> Page {
        let begun = try await visit.callAsUser(.post, "/passkeys/registration/options")
        var page = Page(say("Add a Passkey"))
        page.back = (say("Passkeys"), Place.passkeys.path)
        page.blocks = [
            .text(say("A passkey signs you in with your face, your fingerprint or your screen lock.")),
            .form(
                Form(
                    action: Place.passkeys.path, hidden: [("challenge", begun["challenge_id"]?.stringValue ?? "")],
                    ceremony: Ceremony(kind: .create, options: begun["options"] ?? .null), button: say("Continue"))),
            .unscripted(say("This browser can't add passkeys, or doesn't allow scripts.")),
        ]
        return page
    }

    private func row(_ passkey: AuthPasskey) -> Row {
        let name = passkey.shownName
        var row = Row(title: name, details: [say("Added on %@.", visit.language.day(passkey.createdAt))])
        if let last = passkey.lastUsedAt { row.details.append(say("Last used %@", visit.language.day(last))) }
        if passkey.setAsideAt != nil {
            row.details.append(say("Set aside. Sign in with it and enter the code we email you to use it again."))
        }
        row.link = Link(title: say("Change"), address: Place.passkey.path + "?id=" + passkey.id.uuidString.lowercased())
        row.linkLabel = say("Change %@", name)
        return row
    }
}

extension AuthPasskey {
    var shownName: String {
        let name = (friendlyName ?? "").shown
        return name.isBlank ? "Passkey" : name
    }
}
