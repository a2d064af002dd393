import GatehouseWire
import HTTPServing
import Hummingbird

/// Takes the link's key, for `gatehouse dev`.
struct ConsoleEntryPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/enter") { $0.enter() }
    ]

    mutating func enter() -> Outcome {
        guard let entry = pages.settings.entry, let key = visit.fields["key"],
            ConsoleEntry.isOnThisMachine(peer: visit.context.peerAddress, visit.request),
            entry.take(key, at: pages.now())
        else {
            if !visit.isInConsole {
                visit.session.sentence =
                    "That link was already used. Open this server's home page for a new one."
            }
            return visit.isInConsole ? .move(ConsolePlace.overview.path) : .move(ConsolePlace.signIn)
        }
        visit[ConsoleSignInPage.self].enter(key: entry.secretKey)
        return .page(pages.pageLeading(to: ConsolePlace.overview.path))
    }
}

extension WebPages {
    /// Browsers omit the operator's cookie on other sites' links (SameSite=Strict), and a response that sets another
    /// would sign the operator out.
    func pageAfterForeignLink(_ request: Request) -> Page? {
        guard site == .console, request.headers[.fetchSite] == "cross-site" else { return nil }
        return pageLeading(to: request.uri.path + (request.uri.query.map { "?\($0)" } ?? ""))
    }

    /// Browsers send the cookie only from this server's pages (SameSite=Strict), and another page may have had the
    /// link.
    func pageLeading(to address: String) -> Page {
        var page = Page("Console", [.actions([Link(title: "Continue", address: address)])])
        page.onward = address
        return page
    }
}
