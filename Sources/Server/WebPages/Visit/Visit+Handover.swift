import GatehouseWire
import HTTPServing
import HTTPTypes

extension Visit {
    /// Unless its URL is not allowed: any website can send a browser here.
    var handoverSentence: [Block] {
        let isAllowed = pages.settings.allowsRedirect ?? { _ in true }
        guard let handover = session.handover, isAllowed(handover.target) else { return [] }
        return [.soft(say("You'll continue to %@.", handover.app))]
    }

    var handoverFields: [(name: String, value: String)] { session.handover.map { [("for", $0.id)] } ?? [] }
    var handoverQuery: String { session.handover.map { "?for=\($0.id)" } ?? "" }

    /// The ``WebSession/Handover/id`` that this form or link named; nil if no app or another one waits.
    var handoverOfForm: String? {
        guard let id = session.handover?.id, fields["for"]?.utf8.elementsEqual(id.utf8) == true else { return nil }
        return id
    }

    var malformedRequestPage: Page {
        problemPage(
            say("The app's request is malformed or too long. Please go back to the app and try again."),
            status: .badRequest)
    }
}
