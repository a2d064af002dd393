import GatehouseModel
public import SwiftUI

/// Changes or sets the account's password. Requires `gatehouse(_:branding:)` above.
///
/// ![Fields for the new password.](ChangePasswordView)
public struct ChangePasswordView: View {
    @Environment(\.dismiss) private var dismiss

    /// Creates the screen.
    public init() {}

    public var body: some View {
        WithAccount { PasswordForm(model: ChangePasswordModel(manager: $0)) { dismiss() } }
            .navigationTitle(Text(ui: "New Password"))
            .inlineTitle()
    }
}

struct PasswordForm: View {
    private enum Field: Hashable {
        case password, confirmation, current, code
    }

    @State private var model: ChangePasswordModel
    // Discarded with the screen.
    @State private var password = ""
    @State private var confirmation = ""
    @State private var current = ""
    @FocusState private var focus: Field?
    private let done: @MainActor () -> Void

    init(model: ChangePasswordModel, done: @escaping @MainActor () -> Void) {
        _model = State(initialValue: model)
        self.done = done
    }

    var body: some View {
        Form {
            Section {
                AccountField()
                secret(
                    $password, .password, Text(ui: "New Password"),
                    model.hint(for: .password, password, confirmation))
                secret(
                    $confirmation, .confirmation, Text(ui: "Confirm Password"),
                    model.hint(for: .confirmation, password, confirmation))
            } footer: {
                Text(ui: "Your other devices will be signed out when you save.")
            }
            if model.asksForCurrent {
                Section { secret($current, .current, Text(ui: "Current Password"), nil) }
            }
            if model.asksForCode { Section { codeRows } }
            Section {
                if let message = model.message { MessageView(message: message, retry: retry) }
                Button(action: save) { Text(ui: "Save Password") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!canSave)
            }
            .clearRows()
        }
        .disabled(isWorking)
        .scrollDismissesKeyboard(.interactively)
        .interactiveDismissDisabled(isWorking)
        .navigationBarBackButtonHidden(isWorking)
        .overlay { if isWorking { ProgressView() } }
        .onChange(of: model.phase) {
            guard model.phase == .changed else { return }
            announce("Your password has been saved.")
            done()
        }
        .onDisappear { (password, confirmation, current) = ("", "", "") }
    }

    private var isWorking: Bool { model.phase == .working }
    private var canSave: Bool { model.canSubmit(password: password, confirmation: confirmation, current: current) }

    private func secret(_ text: Binding<String>, _ field: Field, _ label: Text, _ hint: ModelText?) -> some View {
        VStack(alignment: .leading, spacing: 4) {
            SecureField(text: text) { label }
                .textContentType(field == .current ? .password : .newPassword)
                .focused($focus, equals: field)
                .submitLabel(next(field) == nil ? .done : .next)
                .onSubmit { leave(field) }
                .frame(minHeight: 44)
            FieldHint(text: hint)
        }
    }

    @ViewBuilder private var codeRows: some View {
        TextField(text: $model.code) { Text(ui: "Code") }
            .textContentType(.oneTimeCode)
            .typesDigits()
            .focused($focus, equals: .code)
            .frame(minHeight: 44)
        Button {
            focus = nil
            model.sendCodeAgain()
        } label: {
            Text(ui: "Send Again").frame(minHeight: 44)
        }
    }

    /// nil to save.
    private func next(_ field: Field) -> Field? {
        switch field {
        case .password: .confirmation
        case .confirmation: model.asksForCurrent ? .current : model.asksForCode ? .code : nil
        case .current: model.asksForCode ? .code : nil
        case .code: nil
        }
    }

    private func leave(_ field: Field) {
        if let next = next(field) { focus = next } else { save() }
    }

    private func retry() { model.retry(password: password, confirmation: confirmation, current: current) }

    private func save() {
        focus = nil
        model.submit(password: password, confirmation: confirmation, current: current)
    }
}

/// The system saves the password for this address.
private struct AccountField: View {
    @Environment(AuthManager.self) private var account: AuthManager?

    var body: some View {
        if let email = account?.user?.email {
            TextField(text: .constant(email)) { Text(ui: "Email") }
                .textContentType(.username)
                .foregroundStyle(.secondary)
                .frame(minHeight: 44)
                .disabled(true)
        }
    }
}

extension ChangePasswordModel {
    fileprivate func hint(for field: EmailAuthForm.Field, _ password: String, _ confirmation: String) -> ModelText? {
        hint(for: field, password: password, confirmation: confirmation)
    }
}
