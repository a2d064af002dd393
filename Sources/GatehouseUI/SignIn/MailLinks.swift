import Gatehouse
import SwiftUI

/// Finishes what the link of a mail began: an address is confirmed, or a password can be set.
struct MailLinks: ViewModifier {
    private struct Link: Hashable {
        let url: URL
        let number: Int
    }

    /// Where the links lead. Other addresses are not this one's business.
    let redirectTo: URL?
    let finish: (@Sendable (URL) async throws -> Void)?
    @State private var link: Link?
    @State private var hasFailed = false
    @State private var isOffline = false

    func body(content: Content) -> some View {
        content
            .onOpenURL { url in if isOurs(url) { begin(url) } }
            .task(id: link) { if let link { await run(link.url) } }
            .alert(Text(ui: "The link could not be opened."), isPresented: $hasFailed) {
                if isOffline {
                    Button {
                        if let link { begin(link.url) }
                    } label: {
                        Text(ui: "Try Again")
                    }
                }
                Button(role: .cancel) {
                } label: {
                    Text(ui: "OK")
                }
            } message: {
                isOffline
                    ? Text(ui: "Unable to connect. Check your internet and try again.")
                    : Text(ui: "It may be too old, used already, or for another device. Please ask for a new one.")
            }
    }

    private func isOurs(_ url: URL) -> Bool {
        guard finish != nil, let redirectTo else { return false }
        return url.isAnswer(to: redirectTo)
    }

    private func begin(_ url: URL) { link = Link(url: url, number: (link?.number ?? 0) + 1) }

    private func run(_ url: URL) async {
        do {
            try await finish?(url)
        } catch is CancellationError {
            // Another link was opened, or the app is gone.
        } catch {
            if case AuthClientError.offline = error { isOffline = true } else { isOffline = false }
            hasFailed = true
        }
    }
}
