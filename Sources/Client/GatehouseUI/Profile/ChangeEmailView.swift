import GatehouseModel
public import SwiftUI

/// Changes or sets the account's email address, with a code if required. Requires `gatehouse(_:branding:)` above.
///
/// ![A field for the new email.](ChangeEmailView)
public struct ChangeEmailView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { ChangeEmailScreen(model: ChangeEmailModel(manager: $0)) } }
}

private struct ChangeEmailScreen: View {
    @Environment(\.dismiss) private var dismiss
    @State private var model: ChangeEmailModel
    // Discarded with the screen.
    @State private var password = ""
    @FocusState private var focus: Field?

    private enum Field: Hashable {
        case email, password
    }

    init(model: ChangeEmailModel) { _model = State(initialValue: model) }

    var body: some View {
        Group {
            if let code = model.code { CodeView(model: code, startOver: { model.startOver() }) } else { form }
        }
        .navigationTitle(title)
        .inlineTitle()
        .onChange(of: model.phase) { if model.phase == .changed { leave() } }
        .onChange(of: model.isConfirmed) { if model.isConfirmed { leave() } }
    }

    private var title: Text { model.current == nil ? Text(ui: "Add Email") : Text(ui: "Change Email") }

    private var form: some View {
        Form {
            Section {
                VStack(alignment: .leading, spacing: 4) {
                    TextField(text: $model.form.email) { Text(ui: "New Email") }
                        .textContentType(.emailAddress)
                        .typesEmail()
                        .focused($focus, equals: .email)
                        .submitLabel(model.asksForCurrent ? .next : .done)
                        .onSubmit { if model.asksForCurrent { focus = .password } else { submit() } }
                        .frame(minHeight: 44)
                    FieldHint(text: model.hint)
                }
                .disabled(model.phase == .working)
            } footer: {
                VStack(alignment: .leading, spacing: 8) {
                    if let current = model.current { Text(ui: "Your email is \(current.shownAddress).") }
                    if let message = model.message { MessageView(message: message, retry: submit) }
                }
            }
            if model.asksForCurrent { passwordSection }
            Section {
                Button(action: submit) { Text(ui: "Save Email") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!model.canSubmit(password: password))
            }
            .clearRows()
        }
        .scrollDismissesKeyboard(.interactively)
        .navigationBarBackButtonHidden(model.phase == .working)
        .onAppear { focus = .email }
        .onDisappear { password = "" }
    }

    private var passwordSection: some View {
        Section {
            SecureField(text: $password) { Text(ui: "Current Password") }
                .textContentType(.password)
                .focused($focus, equals: .password)
                .submitLabel(.done)
                .onSubmit { submit() }
                .frame(minHeight: 44)
        }
        .disabled(model.phase == .working)
    }

    private func leave() {
        announce("Your email has been changed.")
        dismiss()
    }

    private func submit() {
        guard model.canSubmit(password: password) else { return }
        focus = nil
        model.submit(password: password)
    }
}
