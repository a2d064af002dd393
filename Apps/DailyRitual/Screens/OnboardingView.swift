import Foundation
import SwiftUI

/// Asks for the user's name, prefilled with the name from the provider.
struct OnboardingView: View {
    @Environment(\.timeZone) private var timeZone
    let model: JournalModel
    @State private var name: String

    init(model: JournalModel, name: String) {
        self.model = model
        _name = State(initialValue: name)
    }

    var body: some View {
        Form {
            Section {
                TextField(text: $name) { Text("Your Name", bundle: .module) }
                    .textContentType(.name)
                    .submitLabel(.done)
                    .onSubmit(submit)
            } header: {
                Text("What should we call you?", bundle: .module)
            }
            Section {
                Text(verbatim: timeZone.identifier)
            } header: {
                Text("Time Zone", bundle: .module)
            } footer: {
                if model.hasFailed { Text("Something went wrong. Please try again.", bundle: .module) }
            }
            Button(action: submit) { Text("Continue", bundle: .module).frame(minHeight: 44) }
                .disabled(!canSubmit)
        }
        .navigationTitle(Text("Welcome", bundle: .module))
    }

    private var trimmed: String { String(name.trimmingCharacters(in: .whitespacesAndNewlines).prefix(40)) }
    private var canSubmit: Bool { !trimmed.isEmpty && !model.isSaving }
    private func submit() { if canSubmit { model.finish(name: trimmed, timezone: timeZone.identifier) } }
}
