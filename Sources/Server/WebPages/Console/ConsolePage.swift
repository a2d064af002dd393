import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// For the signed-in operator.
protocol ConsolePage: SitePage {}

extension ConsolePage {
    /// A failed call leaves a sentence in its part and the rest of the page intact.
    ///
    /// - Throws: An error that ends the operator's session.
    mutating func part(
        _ title: String, _ blocks: (inout Self) async throws -> [Block]
    ) async throws -> [Block] {
        do {
            return [.heading(title)] + (try await blocks(&self))
        } catch let refusal as AdminRefusal {
            return [.heading(title), .text(refusal.sentence)]
        } catch let failed as CallFailed {
            if let cause = failed.cause { visit.context.note(.unavailable(cause)) }
            return [.heading(title), .text("This cannot be shown at the moment. Try again later.")]
        } catch is WireProblem {
            return [
                .heading(title), .text("This server's response cannot be read. Its nodes may have different versions."),
            ]
        }
    }

    /// Escaped for a call's path.
    var namedID: String { FormText.escape((visit.fields["id"] ?? "").cut(to: 128)) }

    /// Escaped for a call's path.
    var userID: String { FormText.escape((visit.context.parameters.get("user_id") ?? "").cut(to: 64)) }

    func question(
        _ title: String, _ text: String, action: String, button: String, back: ConsolePlace,
        hidden: [(name: String, value: String)] = []
    ) -> Page {
        var page = Page(title, [.text(text)])
        page.back = (back.title, back.path)
        page.blocks.append(.form(Form(action: action, hidden: hidden, button: button, style: .danger)))
        return page
    }
}

extension Badge {
    init(state: String) {
        switch state {
        case "sent", "delivered", "on", "current", "signing": self.init(text: state.cutForChart, tone: .good)
        case "failed", "undeliverable", "disabled", "refused": self.init(text: state.cutForChart, tone: .bad)
        default: self.init(text: state.cutForChart)
        }
    }
}
