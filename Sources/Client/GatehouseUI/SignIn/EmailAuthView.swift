public import GatehouseModel
public import SwiftUI

/// Signs in or up with email address and password. A link switches the mode in place. Requires `gatehouse(_:branding:)`
/// above.
///
/// ![Fields for email and password.](EmailAuthView)
public struct EmailAuthView: View {
    private let mode: EmailAuthForm.Mode

    /// Creates the screen.
    ///
    /// - Parameter mode: The initial mode.
    public init(mode: EmailAuthForm.Mode) { self.mode = mode }

    public var body: some View { WithAccount { EmailAuthScreen(manager: $0, mode: mode) } }
}

private struct EmailAuthScreen: View {
    @Environment(\.emailSignIn) private var emailSignIn
    @Environment(\.passkeys) private var passkeys
    private let manager: AuthManager
    @State private var model: LoginModel
    // Discarded with the screen.
    @State private var password = ""
    @State private var confirmation = ""
    @State private var forgotPassword = false
    @State private var wantsCode = false
    @State private var wantsPasskey = false
    @FocusState private var focus: EmailAuthForm.Field?
    @State private var taps = 0
    @State private var touchesField = false

    init(manager: AuthManager, mode: EmailAuthForm.Mode) {
        self.manager = manager
        _model = State(initialValue: LoginModel(manager: manager, mode: mode))
    }

    var body: some View {
        // A Group disappears with each branch, and the passwords with it.
        ZStack {
            if let code = model.code { CodeView(model: code, startOver: { model.startOver() }) } else { form }
        }
        .navigationTitle(title)
        .inlineTitle()
        .navigationDestination(isPresented: $forgotPassword) {
            MailView(.passwordReset, email: model.form.trimmedEmail, manager: manager)
        }
        .navigationDestination(isPresented: $wantsCode) {
            MailView(.signIn, email: model.form.trimmedEmail, manager: manager)
        }
        .navigationDestination(isPresented: $wantsPasskey) {
            PasskeySignUpView(email: model.form.trimmedEmail, name: model.form.name, manager: manager)
        }
        .onDisappear { leave() }
        // Above the keyboard, until a sign-in begins.
        .task(id: canOfferPasskeys) { await offerPasskeys() }
    }

    private func offerPasskeys() async {
        guard let passkeys, canOfferPasskeys else { return }
        await model.offerPasskeys(with: passkeys)
    }

    private var canOfferPasskeys: Bool { model.offersPasskey && !model.isBusy && !isSigningUp }
    private var isSigningUp: Bool { model.form.mode == .signUp }
    private var title: Text { isSigningUp ? Text(ui: "Create Account") : Text(ui: "Sign In") }
    private var canSubmit: Bool { model.canSubmit(password: password, confirmation: confirmation) }

    private var form: some View {
        Form {
            Section {
                EmailFields(
                    form: $model.form, password: $password, confirmation: $confirmation, focus: $focus,
                    touched: { touchesField = true }, submit: submit)
            } footer: {
                if let message = model.message { MessageView(message: message, retry: submit) }
            }
            .disabled(model.isBusy)
            Section {
                Button(action: submit) { title }
                    .buttonStyle(WideButtonStyle(.prominent))
                    .disabled(!canSubmit)
                    .accessibilityIdentifier("submit")
            }
            .clearRows()
            Section { otherWays }.disabled(model.isBusy)
        }
        .scrollDismissesKeyboard(.interactively)
        // The form's own gesture could take its buttons' taps.
        .simultaneousGesture(TapGesture().onEnded { taps += 1 })
        // After both gestures, whose order varies.
        .onChange(of: taps) { endTyping() }
        .overlay {
            if model.isWorking {
                BusyOverlay(text: isSigningUp ? Text(ui: "Creating account…") : Text(ui: "Signing in…"))
            }
        }
        .interactiveDismissDisabled(model.isWorking)
        .navigationBarBackButtonHidden(model.isWorking)
    }

    @ViewBuilder private var otherWays: some View {
        if model.needsConfirmation {
            Button {
                model.enterCode()
            } label: {
                Text(ui: "Enter the Code").frame(minHeight: 44)
            }
        }
        if !isSigningUp, model.offersMail, emailSignIn == .passwordOrCode {
            Button {
                wantsCode = true
            } label: {
                Text(ui: "Email Me a Code").frame(minHeight: 44)
            }
        }
        if isSigningUp, model.offersPasskeySignUp, passkeys != nil {
            Button {
                wantsPasskey = true
            } label: {
                Text(ui: "Create Account with a Passkey").frame(minHeight: 44)
            }
        }
        if isSigningUp || model.offersSignUp {
            Button(action: flip) {
                Text(model: model.form.footer).frame(minHeight: 44)
            }
        }
        if !isSigningUp, model.offersMail {
            Button {
                forgotPassword = true
            } label: {
                Text(ui: "Forgot password?").frame(minHeight: 44)
            }
        }
    }

    private func endTyping() {
        if !touchesField { focus = nil }
        touchesField = false
    }

    private func submit() {
        guard canSubmit else { return }
        focus = nil
        model.submit(password: password, confirmation: confirmation)
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

    private func leave() {
        forgetPasswords()
        model.forgetPassword()
    }
}
