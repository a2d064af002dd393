public import GatehouseModel
public import SwiftUI

/// Signs in or up with email address and password. A link switches the mode in place.
public struct EmailAuthView: View {
    @Environment(AuthManager.self) private var manager
    private let mode: EmailAuthForm.Mode

    /// Creates the screen. It takes its manager from the environment.
    ///
    /// - Parameter mode: The initial mode.
    public init(mode: EmailAuthForm.Mode) { self.mode = mode }

    public var body: some View { EmailAuthScreen(model: LoginModel(manager: manager, mode: mode)) }
}

private struct EmailAuthScreen: View {
    @Environment(\.accountCalls) private var calls
    @State private var model: LoginModel
    // Passwords exist only as long as the screen, and are cleared after the attempt that used them.
    @State private var password = ""
    @State private var confirmation = ""
    @State private var attempt = 0
    @State private var forgotPassword = false
    @FocusState private var focus: EmailAuthForm.Field?

    init(model: LoginModel) { _model = State(initialValue: model) }

    var body: some View {
        // Not a Group, whose tasks would restart with each branch.
        ZStack {
            if model.phase == .checkMail {
                CheckMailView(email: model.form.trimmedEmail)
            } else {
                form
            }
        }
        .navigationTitle(title)
        .inlineTitle()
        .navigationDestination(isPresented: $forgotPassword) { ForgotPasswordView(email: model.form.trimmedEmail) }
        .attempt(attempt) {
            await model.submit(password: password, confirmation: confirmation)
            // Keep the passwords for a retry.
            if model.message?.action != .retry { forgetPasswords() }
        }
        .onDisappear { forgetPasswords() }
    }

    private var isSigningUp: Bool { model.form.mode == .signUp }
    private var title: Text { isSigningUp ? Text(ui: "Create Account") : Text(ui: "Sign In") }
    private var canSubmit: Bool { model.canSubmit(password: password, confirmation: confirmation) }
    private var isBusy: Bool { if case .working = model.phase { true } else { false } }

    private var form: some View {
        Form {
            Section {
                EmailFields(
                    form: $model.form, password: $password, confirmation: $confirmation, focus: $focus, submit: submit)
            } footer: {
                if let message = model.message { MessageView(message: message, retry: submit) }
            }
            .disabled(model.isBusy)
            Section {
                Button(action: submit) { title }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!canSubmit)
                    .accessibilityIdentifier("submit")
                Button(action: flip) {
                    Text(of: model.form.footer).frame(minHeight: 44)
                }
                .disabled(model.isBusy)
                if !isSigningUp, calls.sendPasswordMail != nil {
                    // Not a Link: in a form, the tap gesture that dismisses the keyboard would intercept its taps.
                    Button {
                        forgotPassword = true
                    } label: {
                        Text(ui: "Forgot password?").frame(minHeight: 44)
                    }
                    .disabled(model.isBusy)
                }
            }
        }
        .scrollDismissesKeyboard(.interactively)
        .onTapGesture { focus = nil }
        .overlay {
            if isBusy { BusyOverlay(text: isSigningUp ? Text(ui: "Creating account...") : Text(ui: "Signing in...")) }
        }
        .interactiveDismissDisabled(isBusy)
        .navigationBarBackButtonHidden(isBusy)
    }

    private func submit() {
        guard canSubmit else { return }
        focus = nil
        attempt += 1
    }

    private func flip() {
        model.flip()
        forgetPasswords()
        focus = nil
    }

    private func forgetPasswords() {
        password = ""
        confirmation = ""
    }
}
