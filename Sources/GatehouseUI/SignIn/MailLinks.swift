import Gatehouse
import SwiftUI

/// Finishes what the link of a mail began: an address is confirmed, or a password can be set.
struct MailLinks: ViewModifier {
    /// Where the links lead. Other addresses are not this one's business.
    let redirectTo: URL?
    let finish: (@Sendable (URL) async throws -> Void)?
    @State private var link = MailLink()

    func body(content: Content) -> some View {
        content
            .onOpenURL { url in
                if let finish, let redirectTo, url.isAnswer(to: redirectTo) { link.open(url, finish) }
            }
            .modifier(MailLinkAlert(link: link, isOnTop: link.sheetCount == 0))
            .environment(\.mailLink, link)
    }
}

/// Belongs on what the account's sheets show: a screen below a sheet cannot tell that a link has failed.
struct MailLinksInSheet: ViewModifier {
    @Environment(\.mailLink) private var link

    func body(content: Content) -> some View {
        if let link {
            content
                .modifier(MailLinkAlert(link: link, isOnTop: true))
                .onAppear { link.sheetCount += 1 }
                .onDisappear { link.sheetCount -= 1 }
        } else {
            content
        }
    }
}

/// The last link that the app was opened with. Its work is no view's task: what the screens show can change with the
/// answer, and a task would end, or begin anew, with them.
@MainActor @Observable final class MailLink {
    /// Whether it could not be opened; false once that has been read.
    var hasFailed = false
    private(set) var isOffline = false
    /// How many of the account's sheets are open.
    var sheetCount = 0
    @ObservationIgnored private var again: (@MainActor () -> Void)?
    @ObservationIgnored private var work: Task<Void, Never>?

    /// An earlier one that is under way ends.
    func open(_ url: URL, _ finish: @escaping @Sendable (URL) async throws -> Void) {
        work?.cancel()
        again = { [weak self] in self?.open(url, finish) }
        work = Task {
            do {
                try await finish(url)
            } catch {
                // Another link was opened.
                guard !Task.isCancelled, !(error is CancellationError) else { return }
                if case AuthClientError.offline = error { isOffline = true } else { isOffline = false }
                hasFailed = true
            }
        }
    }

    /// Opens the same one once more.
    func retry() { again?() }
}

/// Tells that a link has failed.
private struct MailLinkAlert: ViewModifier {
    let link: MailLink
    /// Whether no sheet of the account covers the screen.
    let isOnTop: Bool

    func body(content: Content) -> some View {
        content
            .alert(Text(ui: "The link could not be opened."), isPresented: isPresented) {
                if link.isOffline {
                    Button {
                        link.retry()
                    } label: {
                        Text(ui: "Try Again")
                    }
                }
                Button(role: .cancel) {
                } label: {
                    Text(ui: "OK")
                }
            } message: {
                link.isOffline
                    ? Text(ui: "Unable to connect. Check your internet and try again.")
                    : Text(ui: "It may be too old, used already, or for another device. Please ask for a new one.")
            }
    }

    private var isPresented: Binding<Bool> {
        Binding {
            isOnTop && link.hasFailed
        } set: {
            link.hasFailed = $0
        }
    }
}

private struct MailLinkKey: EnvironmentKey {
    static let defaultValue: MailLink? = nil
}

extension EnvironmentValues {
    fileprivate var mailLink: MailLink? {
        get { self[MailLinkKey.self] }
        set { self[MailLinkKey.self] = newValue }
    }
}
