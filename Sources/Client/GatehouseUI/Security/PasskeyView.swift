import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

struct PasskeyRow: View {
    let passkey: AuthPasskey

    var body: some View {
        Label {
            VStack(alignment: .leading, spacing: 2) {
                passkey.name.lineLimit(2)
                Group {
                    if passkey.setAsideAt != nil {
                        Text(ui: "Set aside. Sign in with it and enter the code we email you to use it again.")
                    } else if let last = passkey.lastUsedAt {
                        Text(ui: "Last used on \(day(last))")
                    } else {
                        Text(ui: "Added on \(day(passkey.createdAt))")
                    }
                }
                .textStyle(.footnote)
                .foregroundStyle(.secondary)
            }
        } icon: {
            Image(systemName: "person.badge.key.fill").accessibilityHidden(true)
        }
    }
}

struct PasskeyView: View {
    let passkey: AuthPasskey
    let model: SecurityModel
    @Environment(\.dismiss) private var dismiss
    @Environment(\.passkeys) private var passkeys
    @State private var name: String
    @State private var asks = false
    @FocusState private var isFocused: Bool

    init(passkey: AuthPasskey, model: SecurityModel) {
        (self.passkey, self.model) = (passkey, model)
        _name = State(initialValue: passkey.friendlyName ?? "")
    }

    var body: some View {
        form
            .navigationTitle(passkey.name)
            .inlineTitle()
            .toolbar {
                ToolbarItem(placement: .confirmationAction) {
                    Button(action: save) { Text(ui: "Save") }.disabled(!canSave)
                }
            }
            .confirmationDialog(Text(ui: "Remove Passkey"), isPresented: $asks, titleVisibility: .visible) {
                Button(role: .destructive) {
                    model.delete(passkey, with: passkeys)
                    dismiss()
                } label: {
                    Text(ui: "Remove Passkey")
                }
                Button(role: .cancel) {
                } label: {
                    Text(ui: "Cancel")
                }
            } message: {
                Text(ui: "It will no longer sign you in. Your other devices stay signed in.")
            }
    }

    private var form: some View {
        Form {
            Section {
                TextField(text: $name) { Text(ui: "Name") }
                    .typesName()
                    .submitLabel(.done)
                    .focused($isFocused)
                    .onSubmit(save)
                    .onChange(of: name) { name = SecurityModel.passkeyName(name) }
                    .frame(minHeight: 44)
            } footer: {
                VStack(alignment: .leading, spacing: 4) {
                    Text(ui: "Added on \(day(passkey.createdAt))")
                    if let last = passkey.lastUsedAt { Text(ui: "Last used on \(day(last))") }
                }
            }
            Section {
                Button(role: .destructive) {
                    asks = true
                } label: {
                    Text(ui: "Remove Passkey").frame(minHeight: 44)
                }
            }
        }
    }

    private var trimmed: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
    private var canSave: Bool { !trimmed.isEmpty && trimmed != passkey.friendlyName }

    private func save() {
        guard canSave else { return }
        model.rename(passkey, to: name)
        dismiss()
    }
}

extension AuthPasskey {
    fileprivate var name: Text { friendlyName.map { Text(verbatim: $0) } ?? Text(ui: "Unnamed Passkey") }
}

@MainActor func day(_ date: Date) -> Text { Text(date, format: .dateTime.day().month().year()) }
