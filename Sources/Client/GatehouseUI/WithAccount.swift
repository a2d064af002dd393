import GatehouseModel
import SwiftUI

/// Content that needs the account. Without `gatehouse(_:branding:)` above, it says so in place and in the log, where
/// reading the environment directly would end the app.
struct WithAccount<Content: View>: View {
    @Environment(AuthManager.self) private var account: AuthManager?
    private let content: @MainActor (AuthManager) -> Content

    init(@ViewBuilder content: @escaping @MainActor (AuthManager) -> Content) { self.content = content }

    var body: some View {
        if let account { content(account).rows() } else { MissingAccount() }
    }
}

/// For the app's developer; users never see it.
private struct MissingAccount: View {
    static let text = "Add .gatehouse(account) to a view above this one."

    var body: some View {
        Text(verbatim: Self.text)
            .font(.caption)
            .foregroundStyle(.red)
            .onAppear { LogSink.writeToSystemLog(.error, Self.text) }
    }
}
