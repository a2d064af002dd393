import AuthenticationServices
import Gatehouse
import GatehouseModel
public import GatehouseUI
public import SwiftUI

/// An app's content, with all that the account's screens need.
public struct AccountsRoot<Content: View>: View {
    private let start: AppStart
    private let branding: Branding
    private let content: @MainActor (Accounts) -> Content

    public init(
        _ start: AppStart, branding: Branding, @ViewBuilder content: @escaping @MainActor (Accounts) -> Content
    ) {
        (self.start, self.branding, self.content) = (start, branding, content)
    }

    public var body: some View {
        switch start {
        case .ready(let accounts):
            SignedContent(accounts: accounts, branding: branding, content: content(accounts))
        case .misconfigured(let problem):
            // For whoever builds the app: nobody else ever sees it.
            Text(verbatim: problem)
                .font(.callout)
                .multilineTextAlignment(.center)
                .padding(24)
        }
    }
}

private struct SignedContent<Content: View>: View {
    @Environment(\.webAuthenticationSession) private var browser
    let accounts: Accounts
    let branding: Branding
    let content: Content

    var body: some View {
        content
            .modifier(NewPasswordSheet(manager: accounts.manager))
            .modifier(
                MailLinks(redirectTo: accounts.redirectTo) { [client = accounts.client] url in
                    try await client.session(from: url)
                }
            )
            .gatehouse(accounts.manager, branding: branding, google: google, calls: accounts.calls)
    }

    private var google: BrowserSheet? {
        accounts.offersGoogle ? BrowserSheet(redirectTo: accounts.redirectTo, browser: browser) : nil
    }
}

/// Asks whoever came by the mail for a new password for one.
struct NewPasswordSheet: ViewModifier {
    @Bindable var manager: AuthManager

    func body(content: Content) -> some View {
        content.sheet(isPresented: $manager.needsNewPassword) { NewPasswordView() }
    }
}
