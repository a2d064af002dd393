import Foundation
import Gatehouse
import GatehouseModel
public import SwiftUI

/// The apps and agents with access to the account, which the user can end.
///
/// Push it onto a navigation stack; ``ProfileView`` does if the server has requests for access. Requires
/// `gatehouse(_:branding:)` above.
public struct ConnectedAppsView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { ConnectedAppsScreen(manager: $0) } }
}

private struct ConnectedAppsScreen: View {
    @State private var model: ConnectedAppsModel
    @State private var loads = 0
    @State private var question: RemovalQuestion?
    @State private var asks = false

    init(manager: AuthManager) { _model = State(initialValue: ConnectedAppsModel(manager: manager)) }

    var body: some View {
        // A Group's task would restart with each branch.
        ZStack {
            switch model.phase {
            case .loading: ProgressView()
            case .failed: LoadFailure { loads += 1 }
            case .showing, .working, .refused: list
            }
        }
        .navigationTitle(Text(ui: "Connected Apps"))
        .inlineTitle()
        .task(id: loads) { await model.load() }
    }

    private var list: some View {
        List {
            if let message = model.message { Section { MessageView(message: message) } }
            Section {
                ForEach(model.grants) { grant in
                    GrantRow(grant: grant) { (question, asks) = (RemovalQuestion(grant: grant), true) }
                }
                if model.grants.isEmpty {
                    Text(ui: "No app or agent has access to your account.").foregroundStyle(.secondary)
                }
            }
            Section {
                NavigationLink {
                    DeviceCodeView()
                } label: {
                    Text(ui: "Connect a Device")
                }
            }
        }
        .disabled(model.phase == .working)
        .overlay { if model.phase == .working { ProgressView() } }
        .confirmationDialog(for: question, isPresented: $asks) {
            if let question { model.remove(question.grant) }
        }
    }
}

private struct RemovalQuestion: DestructiveQuestion {
    let grant: OAuthGrant

    var title: Text { Text(ui: "Remove \(grant.client.shownName.isolated)") }
    var message: Text { Text(ui: "It loses access immediately, and must ask you again.") }
}

private struct GrantRow: View {
    let grant: OAuthGrant
    let remove: @MainActor () -> Void

    var body: some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                Text(verbatim: grant.client.shownName.isolated).textStyle(.headline)
                VStack(alignment: .leading, spacing: 2) {
                    if let host = grant.client.shownHost { Text(verbatim: host.isolated) }
                    ForEach(grant.permissions, id: \.self) { Text(model: $0) }
                    ForEach(grant.resources.compactMap(\.shownLine), id: \.self) { Text(verbatim: $0.isolated) }
                    Text(ui: "Access since \(day(grant.grantedAt))")
                    if let date = grant.lastUsedAt { Text(ui: "Last used on \(day(date))") }
                }
                .textStyle(.footnote)
                .foregroundStyle(.secondary)
            }
            Spacer()
            Button(role: .destructive, action: remove) { Text(ui: "Remove").frame(minWidth: 44, minHeight: 44) }
                .buttonStyle(.borderless)
                .accessibilityLabel(Text(ui: "Remove \(grant.client.shownName.isolated)"))
        }
    }
}
