import GatehouseModel
public import SwiftUI

/// Changes or sets the account's password.
public struct ChangePasswordView: View {
    @Environment(AuthManager.self) private var manager
    @Environment(\.dismiss) private var dismiss

    /// Creates the screen. It takes its manager from the environment.
    public init() {}

    public var body: some View {
        PasswordForm(model: ChangePasswordModel(manager: manager)) { dismiss() }
            .navigationTitle(Text(ui: "New Password"))
            .inlineTitle()
    }
}

/// Two fields for a new password, and fields for what else the server requires.
struct PasswordForm: View {
    private enum Wish: Hashable {
        case save, sendCode
    }

    private enum Field: Hashable {
        case password, confirmation, current, code
    }

    private struct Attempt: Hashable {
        var wish: Wish
        var number: Int
    }

    @State private var model: ChangePasswordModel
    // Passwords exist only as long as the screen, and are cleared after the attempt that used them.
    @State private var password = ""
    @State private var confirmation = ""
    @State private var current = ""
    @State private var attempt: Attempt?
    @FocusState private var focus: Field?
    private let done: @MainActor () -> Void

    init(model: ChangePasswordModel, done: @escaping @MainActor () -> Void) {
        _model = State(initialValue: model)
        self.done = done
    }

    var body: some View {
        Form {
            Section {
                secret(
                    $password, .password, Text(ui: "New Password"),
                    model.hint(for: .password, password, confirmation))
                secret(
                    $confirmation, .confirmation, Text(ui: "Confirm Password"),
                    model.hint(for: .confirmation, password, confirmation))
            } footer: {
                Text(ui: "Your other devices are signed out when you save.")
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
        }
        .disabled(isWorking)
        .scrollDismissesKeyboard(.interactively)
        .interactiveDismissDisabled(isWorking)
        .navigationBarBackButtonHidden(isWorking)
        .overlay { if isWorking { ProgressView() } }
        .attempt(attempt?.number ?? 0) { await run() }
        .onDisappear { forget() }
    }

    private var isWorking: Bool { model.phase == .working }
    private var canSave: Bool { model.canSubmit(password: password, confirmation: confirmation, current: current) }

    private func secret(_ text: Binding<String>, _ field: Field, _ label: Text, _ hint: String?) -> some View {
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
            begin(.sendCode)
        } label: {
            Text(ui: "Send Again").frame(minHeight: 44)
        }
    }

    /// The next field after Return; nil to save.
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

    private func retry() { if attempt?.wish == .sendCode { begin(.sendCode) } else { save() } }
    private func save() { if canSave { begin(.save) } }

    private func begin(_ wish: Wish) {
        focus = nil
        attempt = Attempt(wish: wish, number: (attempt?.number ?? 0) + 1)
    }

    private func run() async {
        guard let attempt else { return }
        switch attempt.wish {
        case .sendCode: await model.sendCodeAgain()
        case .save:
            await model.submit(password: password, confirmation: confirmation, current: current)
            if model.isOver { forget() }
            if model.phase == .changed {
                announce("Your password has been saved.")
                done()
            }
        }
    }

    private func forget() { (password, confirmation, current) = ("", "", "") }
}

extension ChangePasswordModel {
    fileprivate func hint(for field: EmailAuthForm.Field, _ password: String, _ confirmation: String) -> String? {
        hint(for: field, password: password, confirmation: confirmation)
    }
}
