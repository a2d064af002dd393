import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

struct MethodsPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/methods") { try await $0.show() },
        takes("/methods") { try await $0.change() },
    ]

    mutating func show() async throws -> Outcome {
        let user = try await visit.user()
        let undoable = try AuthUndoableLink.list(json: await visit.callAsUser(.get, "/user/identities/undoable"))
        let offer = try await visit.offer()
        var page = try await page(user, offer)
        if !undoable.isEmpty { page.blocks += undoBlocks(undoable) }
        return .page(page)
    }

    /// The field `act` decides.
    mutating func change() async throws -> Outcome {
        let identity = FormText.escape((visit.fields["identity"] ?? "").cut(to: 64))
        do {
            switch visit.fields["act"] {
            case "add": return try await add()
            case "remove" where visit.fields["confirmed"] == nil: return .page(removalPage())
            case "remove":
                try await visit.callAsUser(.delete, "/user/identities/\(identity)")
                visit.session.flash = .methodRemoved
            case "undo":
                try await visit.callAsUser(.post, "/user/identities/\(identity)/undo")
                visit.session.flash = .linkUndone
            default: break
            }
        } catch let refusal as CallRefusal where !refusal.needsProof {
            var page = visit.accountPage(say("Sign-In Methods"), .problem(visit.message(for: refusal)))
            page.back = (say("Sign-In Methods"), Place.methods.path)
            return .page(page)
        }
        return .go(.methods)
    }
}

extension MethodsPage {
    /// Redeeming the code creates the link, which only this session can (`comeBack`).
    private mutating func add() async throws -> Outcome {
        let provider = FormText.escape((visit.fields["provider"] ?? "").cut(to: 64))
        let challenge = visit.begin(.link, for: nil)
        let json = try await visit.callAsUser(
            .get,
            "/user/identities/authorize?provider=\(provider)&code_challenge=\(challenge)&code_challenge_method=s256"
                + "&skip_http_redirect=true&\(pages.backHere)")
        guard let url = json["url"]?.stringValue, URLParts(url)?.isWeb == true else { throw CallFailed(cause: nil) }
        return .onward(url)
    }

    private mutating func page(_ user: AuthUser, _ offer: ServerOffer) async throws -> Page {
        var page = visit.accountPage(say("Sign-In Methods"))
        var isOnly = user.signInMethods.count < 2
        // A passkey is another sign-in method.
        if isOnly, offer.hasPasskeys {
            isOnly = try AuthPasskey.list(json: await visit.callAsUser(.get, "/passkeys")).isEmpty
        }
        page.blocks.append(.rows(user.signInMethods.map { row($0, of: user, isOnly: isOnly) }))
        if isOnly { page.blocks.append(.soft(say("Add another way to sign in before you remove this one."))) }
        let missing = offer.providers.filter { name in !user.signInMethods.contains { $0.provider == name } }
        if !missing.isEmpty {
            page.blocks.append(.heading(say("Add a Way to Sign In")))
            page.blocks += missing.map { name in
                .form(
                    Form(
                        action: Place.methods.path, hidden: [("act", "add"), ("provider", name)],
                        button: say("Sign in with %@", ProviderTitle.text(of: name)), symbol: ServerOffer.symbol(name),
                        style: .plain))
            }
        }
        return page
    }

    private func undoBlocks(_ links: [AuthUndoableLink]) -> [Block] {
        [
            .heading(say("Recently Added")),
            .soft(say("Wasn't you? Undo removes this sign-in method and reverses its changes.")),
            .rows(links.map(row)),
        ]
    }

    private func row(_ identity: AuthUserIdentity, of user: AuthUser, isOnly: Bool) -> Row {
        let name = visit.methodName(identity.provider)
        var row = Row(title: name)
        let number = identity.provider == "phone" ? user.phone.map(visit.shownNumber) : nil
        row.details = [number ?? identity.email?.readableAddress.shown].compactMap(\.self)
        guard !isOnly, let id = identity.identityID else { return row }
        row.form = Form(
            action: Place.methods.path,
            hidden: [("act", "remove"), ("identity", id.uuidString.lowercased()), ("provider", identity.provider)],
            button: say("Remove"), label: say("Remove %@", name), style: .plain)
        return row
    }

    private func row(_ link: AuthUndoableLink) -> Row {
        let name = visit.methodName(link.provider ?? "")
        var row = Row(title: name)
        row.details = [
            say(
                "Added on %@. Can be undone until %@.", visit.language.day(link.linkedAt),
                visit.language.day(link.until))
        ]
        row.form = Form(
            action: Place.methods.path, hidden: [("act", "undo"), ("identity", link.id.uuidString.lowercased())],
            button: say("Undo"), label: say("Undo adding %@", name), style: .plain)
        return row
    }

    private func removalPage() -> Page {
        let provider = (visit.fields["provider"] ?? "").cut(to: 64)
        var page = Page(
            say("Remove %@", visit.methodName(provider)),
            [
                .text(say("You'll no longer be able to sign in this way.")),
                .form(
                    Form(
                        action: Place.methods.path,
                        hidden: [
                            ("act", "remove"), ("confirmed", "yes"),
                            ("identity", (visit.fields["identity"] ?? "").cut(to: 64)), ("provider", provider),
                        ], button: say("Remove"), style: .danger)),
                .soft(say("Other devices that signed in this way will be signed out.")),
            ])
        page.back = (say("Sign-In Methods"), Place.methods.path)
        return page
    }
}
