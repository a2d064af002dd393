import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

extension Text {
    init(method provider: String) {
        let method = AuthMethod(rawValue: provider)
        switch method {
        case .email: self.init(ui: "Email and Password")
        case .phone: self.init(ui: "Phone Number")
        default: self.init(verbatim: method.name)
        }
    }
}

struct IdentityRow: View {
    let identity: AuthUserIdentity
    let canRemove: Bool
    let remove: @MainActor () -> Void
    @Environment(AuthManager.self) private var account: AuthManager?

    var body: some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                Text(method: identity.provider)
                if let address {
                    Text(verbatim: address).textStyle(.footnote).foregroundStyle(.secondary)
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

extension IdentityRow {
    private var address: String? {
        identity.provider == AuthMethod.phone.rawValue
            ? account?.user?.phone?.shownNumber : identity.email?.shownAddress
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
