import AuthenticationServices
import Foundation
import Gatehouse
import GatehouseModel
public import SwiftUI

/// The sign-in methods that the server offers. Requires `gatehouse(_:branding:)` above.
///
/// ![Buttons for Apple, Google and email below the app's name.](LoginView)
///
/// `accountSheet(isPresented:)` presents and closes it. Close a custom sheet when `AuthManager.isLoggedIn` changes. In
/// a tab, or instead of an app that requires an account:
///
/// ```swift
/// if account.isLoggedIn { rows } else { LoginView(isDismissible: false) }
/// ```
public struct LoginView: View {
    private let isDismissible: Bool
    private let addsAccount: Bool
    private let offersAccounts: Bool

    /// Creates the screen.
    ///
    /// - Parameter isDismissible: Adds "Close" and "Continue as Guest", which dismiss the screen.
    public init(isDismissible: Bool = true) {
        (self.isDismissible, addsAccount, offersAccounts) = (isDismissible, false, true)
    }

    /// - Parameters:
    ///   - addsAccount: Keeps the current account until another has signed in.
    ///   - offersAccounts: Shows this device's other accounts.
    init(addsAccount: Bool, offersAccounts: Bool = false) {
        (isDismissible, self.addsAccount, self.offersAccounts) = (true, addsAccount, offersAccounts)
    }

    public var body: some View {
        WithAccount { account in
            LoginScreen(
                manager: account, isDismissible: isDismissible, addsAccount: addsAccount, offersAccounts: offersAccounts
            )
            .modifier(AddingAccount(manager: account, isOn: addsAccount))
            .modifier(AccountQuestions(asksForCode: false))
        }
    }
}

private struct LoginScreen: View {
    @Environment(\.dismiss) private var dismiss
    @Environment(\.parts) private var parts
    @Environment(\.browser) private var browser
    @Environment(\.emailSignIn) private var emailSignIn
    @Environment(\.passkeys) private var passkeys
    @Environment(\.passkeySignIn) private var passkeyPlace
    @Environment(\.authorizationController) private var authorizationController
    private let manager: AuthManager
    private let isDismissible: Bool
    private let addsAccount: Bool
    private let offersAccounts: Bool
    @State private var model: LoginModel
    @State private var sheet = AppleSheet()
    @State private var asksToLink: Bool

    init(manager: AuthManager, isDismissible: Bool, addsAccount: Bool, offersAccounts: Bool) {
        self.manager = manager
        self.offersAccounts = offersAccounts
        self.isDismissible = isDismissible
        self.addsAccount = addsAccount
        _asksToLink = State(initialValue: manager.linkQuestion != nil)
        _model = State(initialValue: LoginModel(manager: manager))
    }

    var body: some View {
        NavigationStack {
            // A single branch: if the button disappears during Apple's sheet, its result is lost.
            ScrollView { content }
                .safeAreaInset(edge: .bottom) {
                    if isDismissible, !addsAccount { guestButton }
                }
                .themed()
                .toolbar {
                    ToolbarItem(placement: .closing) {
                        if isDismissible { closeButton }
                    }
                }
                .navigationDestination(for: EmailAuthForm.Mode.self) { EmailAuthView(mode: $0) }
                .navigationDestination(isPresented: $asksToLink) { LinkView() }
                .navigationDestination(isPresented: entersCode) { codeView }
                .modifier(PasskeySignUpSteps(model: model, manager: manager, signInWithApple: signInWithApple))
                .onChange(of: manager.linkQuestion == nil) { _, isOver in asksToLink = !isOver }
                .overlay {
                    if model.isWorking { BusyOverlay(text: busyText) }
                }
        }
        .interactiveDismissDisabled(model.isWorking || !isDismissible)
        .task { await model.load() }
    }

    private var content: some View {
        VStack(spacing: 24) {
            if let header = parts.loginHeader { header() } else { LoginHeader() }
            // A message must be visible to be announced and focused.
            if let message = model.message, !asksToLink {
                MessageView(message: message, retry: retry).padding(.horizontal, 24)
            }
            if manager.allowsSeveralAccounts, offersAccounts {
                AccountChoices(manager: manager).padding(.horizontal, 24).disabled(model.isBusy)
            }
            buttons.padding(.horizontal, 24).disabled(model.isBusy)
            if let footer = parts.loginFooter { footer().padding(.horizontal, 24).disabled(model.isWorking) }
        }
        .padding(.vertical, 32)
        // As wide as an iPad's window, buttons are hard to read.
        .frame(maxWidth: 480)
        .frame(maxWidth: .infinity)
    }

    private var buttons: some View {
        let providers = model.providers(hasBrowser: browser != nil)
        return VStack(spacing: 12) {
            if let last = model.lastMethod { LastMethod(method: last) }
            // Avoids a returning user's second account.
            if model.lastMethod == nil { PasskeySignUpButton(model: model, style: WideButtonStyle(.prominent)) }
            if passkeyPlace == .first { passkeyButton }
            ForEach(providers, id: \.self) { method in
                if method == .apple {
                    AppleButton(sheet: sheet) { model.signInWithApple { try await sheet.credential() } }
                } else {
                    ProviderButton(method: method) { signIn(with: method) }
                }
            }
            if passkeyPlace == .last { passkeyButton }
            if model.offersEmail || model.offersPhone {
                if !providers.isEmpty || offersPasskey { OrDivider() }
                addressButtons
            }
            if model.lastMethod != nil { PasskeySignUpButton(model: model, style: WideButtonStyle()) }
            if model.offersSignUp, !needsNoPassword {
                NavigationLink(value: EmailAuthForm.Mode.signUp) {
                    Text(ui: "Create Account")
                }
            }
        }
        .buttonStyle(WideButtonStyle())
    }

    @ViewBuilder private var addressButtons: some View {
        if model.offersEmail {
            if needsNoPassword {
                NavigationLink {
                    MailView(.signIn, manager: manager)
                } label: {
                    EmailLabel()
                }
            } else {
                NavigationLink(value: EmailAuthForm.Mode.signIn) { EmailLabel() }
            }
        }
        if model.offersPhone {
            NavigationLink {
                PhoneAuthView()
            } label: {
                PhoneLabel()
            }
        }
    }

    private var entersCode: Binding<Bool> {
        Binding {
            model.code != nil && !model.isFinished
        } set: {
            if !$0 { model.startOver() }
        }
    }

    @ViewBuilder private var codeView: some View {
        if let code = model.code { CodeView(model: code, startOver: { model.startOver() }) }
    }

    private var offersPasskey: Bool { model.offersPasskey && passkeys != nil }

    @ViewBuilder private var passkeyButton: some View {
        if offersPasskey {
            Button(action: signInWithPasskey) {
                Label {
                    Text(ui: "Sign in with a Passkey")
                } icon: {
                    Image(systemName: "person.badge.key.fill")
                }
            }
            .buttonStyle(WideButtonStyle(passkeyPlace == .first ? .prominent : .quiet))
        }
    }

    private var busyText: Text {
        model.signsUpWithPasskey ? Text(ui: "Creating account…") : Text(ui: "Signing in…")
    }

    /// For a retry or from another sheet.
    private func signInWithApple() {
        model.signInWithApple { try await sheet.credential(through: authorizationController) }
    }

    private func signInWithPasskey() {
        if let passkeys { model.signInWithPasskey(with: passkeys) }
    }

    private var needsNoPassword: Bool { emailSignIn == .code && model.offersMail }

    private var guestButton: some View {
        Button {
            dismiss()
        } label: {
            Text(ui: "Continue as Guest").frame(minHeight: 44)
        }
        .textStyle(.subheadline)
        .foregroundStyle(.secondary)
        .padding(.vertical, 8)
        .frame(maxWidth: .infinity)
        // Larger text scrolls below it.
        .background(.bar)
        .disabled(model.isWorking)
    }

    private var closeButton: some View {
        Button {
            dismiss()
        } label: {
            CloseLabel()
        }
        .accessibilityLabel(Text(ui: "Close"))
        .disabled(model.isWorking)
    }

    private func signIn(with method: AuthMethod) {
        if let provider = method.provider, let browser { model.signIn(with: provider, in: browser) }
    }

    private func retry() {
        guard case .refused(let method, _) = model.phase else { return }
        if method == .apple {
            signInWithApple()
        } else if method == .passkey {
            if model.signsUpWithPasskey, let passkeys {
                model.signUpWithPasskey(with: passkeys)
            } else {
                signInWithPasskey()
            }
        } else {
            signIn(with: method)
        }
    }
}

private struct LoginHeader: View {
    @Environment(\.branding) private var branding
    @ScaledMetric(relativeTo: .largeTitle) private var symbolSize: CGFloat = 64

    var body: some View {
        VStack(spacing: 12) {
            picture.accessibilityHidden(true)
            Text(verbatim: branding.name)
                .textStyle(.largeTitle, .title, weight: .bold)
                .accessibilityAddTraits(.isHeader)
            if let tagline = branding.tagline {
                Text(LocalizedStringKey(tagline), bundle: branding.bundle ?? .main)
                    .textStyle(.subheadline)
                    .foregroundStyle(.secondary)
                    .multilineTextAlignment(.center)
            }
        }
        .padding(.horizontal, 24)
    }

    @ViewBuilder private var picture: some View {
        if let logo = branding.theme.logo {
            logo.resizable().scaledToFit().frame(height: symbolSize)
        } else {
            Image(systemName: branding.symbol)
                .font(.system(size: symbolSize))
                .foregroundStyle(branding.accent)
        }
    }
}
