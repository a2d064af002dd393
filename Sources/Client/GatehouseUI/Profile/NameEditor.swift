import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

/// An empty name clears it.
struct NameEditor: View {
    let model: ProfileModel
    @Environment(\.dismiss) private var dismiss
    @State private var name: String
    @FocusState private var isFocused: Bool

    init(model: ProfileModel, name: String) {
        self.model = model
        _name = State(initialValue: name)
    }

    var body: some View {
        Form {
            TextField(text: $name) { Text(ui: "First Name") }
                .textContentType(.givenName)
                .typesName()
                .submitLabel(.done)
                .focused($isFocused)
                .onSubmit { save() }
                .frame(minHeight: 44)
                .disabled(model.phase == .saving)
        }
        .navigationTitle(Text(ui: "Edit Name"))
        .inlineTitle()
        .toolbar {
            ToolbarItem(placement: .confirmationAction) {
                Button {
                    save()
                } label: {
                    Text(ui: "Save")
                }
                .disabled(!canSave)
            }
        }
        .onAppear { isFocused = true }
        // The alert about a failure is on the screen below.
        .onChange(of: model.phase) { before, _ in
            if before == .saving, model.phase == .showing { dismiss() }
        }
    }

    /// As at sign-up.
    private var kept: String { String(name.trimmingCharacters(in: .whitespacesAndNewlines).prefix(40)) }
    private var canSave: Bool { model.phase == .showing && kept != model.user?.firstName ?? "" }
    private func save() {
        if canSave { model.save(ProfileChange(firstName: kept.isEmpty ? .clear : .set(kept))) }
    }
}
