import GatehouseWire
import HTTPServing
import HTTPTypes

/// Shown once.
struct RecoveryCodesPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/recovery-codes") { try await $0.show() },
        takes("/recovery-codes") { try await $0.change() },
    ]

    mutating func show() async throws -> Outcome {
        .page(try await page())
    }

    /// The field `act` decides.
    mutating func change() async throws -> Outcome {
        let path = "/factors/recovery-codes"
        do {
            switch visit.fields["act"] {
            case "make":
                return .page(codesPage(try AuthRecoveryCodes(json: await visit.callAsUser(.post, path))))
            case "replace":
                let made = try await visit.callAsUser(.post, path + "/regenerate")
                return .page(codesPage(try AuthRecoveryCodes(json: made)))
            case "remove":
                try await visit.callAsUser(.delete, path)
                visit.session.flash = .recoveryCodesRemoved
            default: break
            }
        } catch let refusal as CallRefusal where !refusal.needsProof {
            let text =
                refusal.code == .conflict
                ? say("New codes were created a moment ago. If you didn't see them, create new ones.")
                : visit.message(for: refusal)
            return .page(try await page(.problem(text)))
        }
        return .go(.recoveryCodes)
    }
}

extension RecoveryCodesPage {
    /// nil without codes.
    mutating func status() async throws -> AuthRecoveryCodesStatus? {
        do {
            return try AuthRecoveryCodesStatus(json: await visit.callAsUser(.get, "/factors/recovery-codes"))
        } catch let refusal as CallRefusal where refusal.status == 404 {
            return nil
        }
    }

    private mutating func page(_ notice: Notice? = nil) async throws -> Page {
        let steps = SecondSteps(try await visit.user())
        let status = steps.hasRecoveryCodes ? try await status() : nil
        var page = visit.accountPage(say("Recovery Codes"), notice)
        page.back = (say("Security"), Place.security.path)
        page.blocks = [.text(say("If you lose your phone, a recovery code signs you in. Each works once."))]
        guard let status else {
            page.blocks.append(contentsOf: steps.exist ? [makingForm] : appFirstBlocks)
            return page
        }
        page.blocks += [
            .text(say("%@ of %@ codes are left.", String(status.remaining), String(status.total))),
            .form(
                Form(
                    action: Place.recoveryCodes.path, hidden: [("act", "replace")], button: say("Create New Codes"))),
            .soft(say("Your old codes will stop working.")),
            .form(
                Form(
                    action: Place.recoveryCodes.path, hidden: [("act", "remove")],
                    button: say("Remove Recovery Codes"), style: .danger)),
        ]
        return page
    }

    private var makingForm: Block {
        .form(Form(action: Place.recoveryCodes.path, hidden: [("act", "make")], button: say("Create Recovery Codes")))
    }

    private var appFirstBlocks: [Block] {
        [
            .soft(say("Set up an authenticator app first.")),
            .buttons([Link(title: say("Authenticator App"), address: Place.authenticator.path)]),
        ]
    }

    private func codesPage(_ made: AuthRecoveryCodes) -> Page {
        var page = Page(say("Your Recovery Codes"))
        page.blocks = [
            .text(say("Print these codes or write them down. They won't be shown again.")),
            .codes(made.codes.prefix(16).map { $0.cut(to: 64).inGroups() }), .printButton(say("Print")),
            .buttons([Link(title: say("Done"), address: Place.security.path)]),
        ]
        return page
    }
}
