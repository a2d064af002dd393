import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

extension Text {
    init(method provider: String) {
        let method = AuthMethod(rawValue: provider)
        if method == .email { self.init(ui: "Email and Password") } else { self.init(verbatim: method.name) }
    }
}

struct IdentityRow: View {
    let identity: AuthUserIdentity
    let canRemove: Bool
    let remove: @MainActor () -> Void

    var body: some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                Text(method: identity.provider)
                if let email = identity.email {
                    Text(verbatim: email.shownAddress).textStyle(.footnote).foregroundStyle(.secondary)
                }
            }
            Spacer()
            if canRemove {
                Button(role: .destructive, action: remove) { Text(ui: "Remove").frame(minWidth: 44, minHeight: 44) }
                    .buttonStyle(.borderless)
                    .accessibilityLabel(Text(ui: "Remove \(Text(method: identity.provider))"))
            }
        }
    }
}

struct UndoSection: View {
    let links: [AuthUndoableLink]
    let undo: @MainActor (AuthUndoableLink) -> Void

    var body: some View {
        if !links.isEmpty {
            Section {
                ForEach(links) { row($0) }
            } header: {
                Text(ui: "Recently Added")
            } footer: {
                Text(ui: "Wasn't you? Undo removes this sign-in method and reverses its changes.")
            }
        }
    }

    private func row(_ link: AuthUndoableLink) -> some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                name(of: link)
                Text(ui: "Added on \(day(link.linkedAt)). Can be undone until \(day(link.until)).")
                    .textStyle(.footnote)
                    .foregroundStyle(.secondary)
            }
            Spacer()
            Button(role: .destructive) {
                undo(link)
            } label: {
                Text(ui: "Undo").frame(minWidth: 44, minHeight: 44)
            }
            .buttonStyle(.borderless)
            .accessibilityLabel(Text(ui: "Undo adding \(name(of: link))"))
        }
    }

    private func name(of link: AuthUndoableLink) -> Text { Text(method: link.provider ?? "") }

    private func day(_ date: Date) -> Text { Text(date, format: .dateTime.day().month().year()) }
}
