import AuthenticationServices
import Gatehouse
import GatehouseModel
public import SwiftUI

/// Links two sign-in methods after proof of the account with the provider's address.
///
/// ![A question for the password of the account that has the email.](LinkView)
///
/// ``LoginView`` shows it while `AuthManager.linkQuestion` is set. Requires `gatehouse(_:branding:)` above.
public struct LinkView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { LinkScreen(model: LinkModel(manager: $0)) } }
}

private struct LinkScreen: View {
    @Environment(\.browser) private var browser
    @Environment(\.passkeys) private var passkeys
    @State private var model: LinkModel
    // Discarded with the screen.
    @State private var password = ""
    @State private var sheet = AppleSheet()
    @State private var asksToRecover = false

    /// Kept while the screen disappears.
    @State private var email: String

    init(model: LinkModel) {
        _model = State(initialValue: model)
        _email = State(initialValue: model.question?.email ?? "")
    }

    var body: some View {
        // A Group's modifiers apply to each branch, whose change would end the question.
        ZStack {
            if let code = model.code { CodeView(model: code) { model.startOver() } } else { question }
        }
        .navigationTitle(Text(ui: "Link Accounts"))
        .inlineTitle()
        .onDisappear {
            password = ""
            model.dismiss()
        }
    }

    private var question: some View {
        Form {
            Section {
                let owner = (model.question?.email ?? email).shownAddress
                Text(ui: "\(owner) already has an account. Sign in to it to link the two.")
                if model.methods.contains(.email) { passwordField }
            } footer: {
                // Without a question, the login screen shows the message.
                if let message = model.message, model.question != nil { MessageView(message: message) }
            }
            Section {
                if model.methods.contains(.email) { passwordButton }
                if model.canUsePasskey, let passkeys { passkeyButton(passkeys) }
                ForEach(model.methods.filter { $0 != .email }, id: \.self) { providerButton($0) }
            }
            .clearRows()
            if model.canMailCode {
                Section {
                    codeButton
                } footer: {
                    Text(ui: "We'll email you a code to sign in. You don't need a password.")
                }
            }
            if model.canRecover {
                Section {
                    recovery
                } footer: {
                    Text(ui: "If someone else created this account, start over instead.")
                }
            }
        }
        .disabled(model.isBusy)
        .scrollDismissesKeyboard(.interactively)
        .overlay {
            if isSigningIn { BusyOverlay(text: Text(ui: "Signing in…")) }
        }
        .interactiveDismissDisabled(isSigningIn || model.phase == .sending)
        .navigationBarBackButtonHidden(isSigningIn || model.phase == .sending)
    }

    private var isSigningIn: Bool { if case .working = model.phase { true } else { false } }

    private var codeButton: some View {
        Button {
            model.sendCode()
        } label: {
            Text(ui: "Email Me a Code").frame(minHeight: 44)
        }
    }

    private var passwordField: some View {
        SecureField(text: $password) { Text(ui: "Password") }
            .textContentType(.password)
            .submitLabel(.go)
            .onSubmit(confirm)
            .frame(minHeight: 44)
    }

    private var passwordButton: some View {
        Button(action: confirm) { Text(ui: "Link with Password") }
            .buttonStyle(WideButtonStyle(.prominent))
            .disabled(password.isEmpty)
    }

    private func passkeyButton(_ passkeys: any PasskeyAuthenticator) -> some View {
        Button {
            model.confirm(withPasskey: passkeys)
        } label: {
            Label {
                Text(ui: "Sign in with a Passkey")
            } icon: {
                Image(systemName: "person.badge.key.fill")
            }
        }
        .buttonStyle(WideButtonStyle())
    }

    @ViewBuilder private func providerButton(_ method: AuthMethod) -> some View {
        if method == .apple {
            AppleButton(sheet: sheet) { model.confirmWithApple { try await sheet.credential() } }
        } else if let provider = method.provider, let browser {
            ProviderButton(method: method) { model.confirm(with: provider, in: browser) }
        }
    }

    private var recovery: some View {
        Button(role: .destructive) {
            asksToRecover = true
        } label: {
            Text(ui: "Start Over with This Email").frame(minHeight: 44)
        }
        .confirmationDialog(
            Text(ui: "Start Over with This Email"), isPresented: $asksToRecover, titleVisibility: .visible
        ) {
            Button(role: .destructive) {
                model.askToRecover()
                model.recover()
            } label: {
                Text(ui: "Start Over with This Email")
            }
            Button(role: .cancel) {
            } label: {
                Text(ui: "Cancel")
            }
        } message: {
            Text(model: LinkModel.recoveryWarning)
        }
    }

    private func confirm() { if !password.isEmpty { model.confirm(password: password) } }
}
