import GatehouseModel
public import SwiftUI

/// Takes the code that a television, terminal or another device shows, and asks whether it may access the account.
///
/// Push it onto a navigation stack; ``ConnectedAppsView`` does. Requires `gatehouse(_:branding:)` above.
public struct DeviceCodeView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { DeviceCodeScreen(manager: $0) } }
}

private struct DeviceCodeScreen: View {
    @State private var model: DeviceCodeModel
    @FocusState private var isFocused: Bool

    init(manager: AuthManager) { _model = State(initialValue: DeviceCodeModel(manager: manager)) }

    var body: some View {
        ZStack {
            if let request = model.request { RequestScreen(model: request) {} } else { form }
        }
    }

    private var form: some View {
        Form {
            Section {
                TextField(text: $model.typed) { Text(ui: "Code") }
                    .typesEmail()
                    .font(.title3.monospaced())
                    .multilineTextAlignment(.center)
                    .focused($isFocused)
                    .submitLabel(.go)
                    .onSubmit(submit)
                    .frame(minHeight: 44)
                    .disabled(model.isWorking)
            } header: {
                Text(ui: "Enter the code that the other device shows.")
                    .textStyle(.subheadline)
                    .textCase(nil)
                    .frame(maxWidth: .infinity, alignment: .leading)
                    .padding(.bottom, 8)
            } footer: {
                VStack(alignment: .leading, spacing: 8) {
                    Text(ui: "Never enter a code that someone sent you.")
                    if let message = model.message { MessageView(message: message, retry: submit) }
                }
            }
            Section {
                Button(action: submit) { Text(ui: "Continue") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!model.canSubmit)
                    .accessibilityIdentifier("submit")
            }
            .clearRows()
        }
        .scrollDismissesKeyboard(.interactively)
        .overlay { if model.isWorking { BusyOverlay(text: Text(ui: "Checking the code…")) } }
        .navigationTitle(Text(ui: "Connect a Device"))
        .inlineTitle()
        .onAppear { if model.typed.isEmpty { isFocused = true } }
    }

    private func submit() {
        guard model.canSubmit else { return }
        isFocused = false
        model.submit()
    }
}
