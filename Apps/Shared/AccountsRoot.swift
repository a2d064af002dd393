public import GatehouseUI
public import SwiftUI

/// An app's content with the dependencies of the account screens.
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
            content(accounts).gatehouse(
                accounts.manager, branding: branding,
                googleRedirect: accounts.offersGoogle ? accounts.redirectTo : nil, clock: accounts.clock,
                calls: accounts.calls)
        case .misconfigured(let problem):
            // For the app's developer; users never see it.
            Text(verbatim: problem)
                .font(.callout)
                .multilineTextAlignment(.center)
                .padding(24)
        }
    }
}
