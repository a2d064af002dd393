import GatehouseModel
import SwiftUI

/// Does not reveal whether the address has an account.
struct MailView: View {
    @State private var model: MailModel
    private let kind: MailModel.Kind
    @FocusState private var isFocused: Bool

    init(_ kind: MailModel.Kind, email: String = "", manager: AuthManager) {
        self.kind = kind
        _model = State(initialValue: MailModel(kind, email: email, manager: manager))
    }

    var body: some View {
        Group {
            if let code = model.code { CodeView(model: code, startOver: { model.startOver() }) } else { question }
        }
        .navigationTitle(kind == .signIn ? Text(ui: "Sign in with Email") : Text(ui: "Forgot password?"))
        .inlineTitle()
    }

    private var question: some View {
        Form {
            Section {
                VStack(alignment: .leading, spacing: 4) {
                    TextField(text: $model.form.email) { Text(ui: "Email") }
                        .textContentType(.emailAddress)
                        .typesEmail()
                        .focused($isFocused)
                        .submitLabel(.send)
                        .onSubmit(send)
                        .frame(minHeight: 44)
                        .disabled(model.phase == .working)
                    FieldHint(text: model.hint)
                }
            } footer: {
                VStack(alignment: .leading, spacing: 8) {
                    if kind == .signIn {
                        Text(ui: "We'll email you a code to sign in. You don't need a password.")
                    } else {
                        Text(ui: "We'll email you a code to set a new password.")
                    }
                    if let message = model.message { MessageView(message: message, retry: send) }
                }
            }
            Section {
                Button(action: send) { kind == .signIn ? Text(ui: "Email Me a Code") : Text(ui: "Send Email") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!model.canSend)
            }
            .clearRows()
        }
        .scrollDismissesKeyboard(.interactively)
        .onAppear { if model.form.email.isEmpty { isFocused = true } }
    }

    private func send() {
        isFocused = false
        model.send()
    }
}
