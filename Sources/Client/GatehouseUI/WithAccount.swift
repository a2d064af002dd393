import GatehouseModel
import SwiftUI

/// Reports a missing `gatehouse(_:branding:)` in place and in the log, instead of crashing.
struct WithAccount<Content: View>: View {
    @Environment(AuthManager.self) private var account: AuthManager?
    private let content: @MainActor (AuthManager) -> Content

    init(@ViewBuilder content: @escaping @MainActor (AuthManager) -> Content) { self.content = content }

    var body: some View {
        if let account { content(account).rows() } else { MissingAccount() }
    }
}

/// Only developers see it.
private struct MissingAccount: View {
    static let text = "Add .gatehouse(account) to a view above this one."

    var body: some View {
        Text(verbatim: Self.text)
            .font(.caption)
            .foregroundStyle(.red)
            .onAppear { LogSink.writeToSystemLog(.error, Self.text) }
    }
}
