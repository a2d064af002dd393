import GatehouseModel
import SwiftUI

/// For systems without a sheet that asks for name and address.
struct PasskeySignUpView: View {
    @Environment(\.passkeys) private var passkeys
    @State private var model: LoginModel
    @FocusState private var focus: EmailAuthForm.Field?

    init(email: String = "", name: String = "", manager: AuthManager) {
        let model = LoginModel(manager: manager, mode: .signUp)
        (model.form.email, model.form.name) = (email, name)
        _model = State(initialValue: model)
    }

    var body: some View {
        Form {
            Section {
                EmailFields(
                    form: $model.form, password: .constant(""), confirmation: .constant(""), fields: [.name, .email],
                    focus: $focus, touched: {}, submit: submit)
            } footer: {
                VStack(alignment: .leading, spacing: 8) {
                    Text(ui: "A passkey signs you in with your face, your fingerprint or your screen lock.")
                    if let message = model.message { MessageView(message: message, retry: submit) }
                }
            }
            .disabled(model.isBusy)
            Section {
                Button(action: submit) { Text(ui: "Create Account") }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!model.canSubmitWithPasskey)
                    .accessibilityIdentifier("submit")
            }
            .clearRows()
        }
        .scrollDismissesKeyboard(.interactively)
        .navigationTitle(Text(ui: "Create Account"))
        .inlineTitle()
        .overlay {
            if model.isWorking { BusyOverlay(text: Text(ui: "Creating account…")) }
        }
        .interactiveDismissDisabled(model.isWorking)
        .navigationBarBackButtonHidden(model.isWorking)
    }

    private func submit() {
        guard model.canSubmitWithPasskey, let passkeys else { return }
        focus = nil
        model.submit(with: passkeys)
    }
}

struct PasskeySignUpButton: View {
    let model: LoginModel
    let style: WideButtonStyle
    @Environment(\.passkeys) private var passkeys

    var body: some View {
        if model.offersPasskeySignUp, let passkeys {
            Button {
                model.signUpWithPasskey(with: passkeys)
            } label: {
                Label {
                    Text(ui: "Create Account with a Passkey")
                } icon: {
                    Image(systemName: "person.badge.key.fill")
                }
            }
            .buttonStyle(style)
        }
    }
}

/// After a system sheet that created no account: the form or Sign in with Apple.
struct PasskeySignUpSteps: ViewModifier {
    @Bindable var model: LoginModel
    let manager: AuthManager
    let signInWithApple: @MainActor () -> Void

    func body(content: Content) -> some View {
        content
            .navigationDestination(isPresented: $model.asksForPasskeyDetails) { PasskeySignUpView(manager: manager) }
            .onChange(of: model.prefersApple) { if model.prefersApple { signInWithApple() } }
    }
}

/// The user can postpone the code.
struct EmailCodeSheet: ViewModifier {
    let account: AuthManager
    /// No other account sheet covers the screen.
    let isOnTop: Bool

    func body(content: Content) -> some View {
        content.sheet(isPresented: isPresented) {
            NavigationStack {
                ChangeEmailView()
                    .toolbar {
                        ToolbarItem(placement: .closing) {
                            Button {
                                account.credentials.dismissCode()
                            } label: {
                                Text(ui: "Not Now").frame(minWidth: 44, minHeight: 44)
                            }
                        }
                    }
            }
            .sheetSize()
        }
    }

    private var isPresented: Binding<Bool> {
        Binding {
            isOnTop && account.asksForEmailCode
        } set: {
            if !$0, account.asksForEmailCode { account.credentials.dismissCode() }
        }
    }
}
