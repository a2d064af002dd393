import AuthenticationServices
import Gatehouse
import GatehouseModel
public import SwiftUI

/// The sign-in methods. Requires `gatehouse(_:branding:googleRedirect:clock:calls:)` above, and is shown in a sheet.
public struct LoginView: View {
    @Environment(AuthManager.self) private var manager

    /// Creates the screen. It takes its manager from the environment.
    public init() {}

    public var body: some View { LoginScreen(manager: manager) }
}

private struct LoginScreen: View {
    private enum Way: Hashable {
        case apple, appleAgain, google
    }

    private struct Attempt: Hashable {
        var way: Way
        var number: Int
    }

    @Environment(\.dismiss) private var dismiss
    @Environment(\.parts) private var parts
    @Environment(\.googleBrowser) private var google
    @Environment(\.authorizationController) private var authorizationController
    private let manager: AuthManager
    @State private var model: LoginModel
    @State private var sheet = AppleSheet()
    @State private var attempt: Attempt?
    @State private var asksToLink: Bool

    init(manager: AuthManager) {
        self.manager = manager
        _asksToLink = State(initialValue: manager.linkQuestion != nil)
        _model = State(initialValue: LoginModel(manager: manager))
    }

    var body: some View {
        NavigationStack {
            ViewThatFits(in: .vertical) {
                content(isRoomy: true)
                ScrollView { content(isRoomy: false) }
            }
            .toolbar {
                ToolbarItem(placement: .closing) { closeButton }
            }
            // Not at the links, because the text size determines which of them are shown, and an open form must survive
            // a change.
            .navigationDestination(for: EmailAuthForm.Mode.self) { EmailAuthView(mode: $0) }
            .navigationDestination(isPresented: $asksToLink) { LinkView() }
            .onChange(of: manager.linkQuestion == nil) { _, isOver in asksToLink = !isOver }
            .overlay {
                if isBusy { BusyOverlay(text: Text(ui: "Signing in...")) }
            }
        }
        .interactiveDismissDisabled(isBusy)
        .attempt(attempt?.number ?? 0) {
            if let attempt { await run(attempt.way) }
        }
    }

    private var isBusy: Bool { if case .working = model.phase { true } else { false } }

    private func content(isRoomy: Bool) -> some View {
        VStack(spacing: 24) {
            if isRoomy { Spacer() }
            if let header = parts.loginHeader { header() } else { LoginHeader() }
            // Not while the link screen is open, because the message must be visible to be announced and focused.
            if let message = model.message, !asksToLink {
                MessageView(message: message, retry: retry).padding(.horizontal, 24)
            }
            if isRoomy { Spacer() }
            buttons.padding(.horizontal, 24)
            if isRoomy { Spacer() }
            Button {
                dismiss()
            } label: {
                Text(ui: "Continue as Guest").frame(minHeight: 44)
            }
            .font(.subheadline)
            .foregroundStyle(.secondary)
            .padding(.bottom, 16)
            if let footer = parts.loginFooter { footer().padding([.horizontal, .bottom], 24) }
        }
        .disabled(model.isBusy)
    }

    private var buttons: some View {
        VStack(spacing: 12) {
            AppleButton(sheet: sheet) { begin(.apple) }
            if google != nil { GoogleButton { begin(.google) } }
            OrDivider()
            NavigationLink(value: EmailAuthForm.Mode.signIn) {
                Label {
                    Text(ui: "Sign in with Email")
                } icon: {
                    Image(systemName: "envelope.fill")
                }
            }
            NavigationLink(value: EmailAuthForm.Mode.signUp) {
                Text(ui: "Create Account")
            }
        }
        .buttonStyle(WideButtonStyle())
    }

    private var closeButton: some View {
        Button {
            dismiss()
        } label: {
            Image(systemName: "xmark.circle.fill")
                .font(.title2)
                .foregroundStyle(.secondary)
                .frame(minWidth: 44, minHeight: 44)
        }
        .accessibilityLabel(Text(ui: "Close"))
        .disabled(model.isBusy)
    }

    private func begin(_ way: Way) { attempt = Attempt(way: way, number: (attempt?.number ?? 0) + 1) }

    private func retry() { begin(attempt?.way == .google ? .google : .appleAgain) }

    private func run(_ way: Way) async {
        switch way {
        case .apple: await model.signInWithApple { try await sheet.credential() }
        case .appleAgain:
            await model.signInWithApple { try await sheet.credential(through: authorizationController) }
        case .google:
            if let google { await model.signInWithGoogle(in: google) }
        }
    }
}

/// Symbol, name, and the reason to sign in.
private struct LoginHeader: View {
    @Environment(\.branding) private var branding
    @ScaledMetric(relativeTo: .largeTitle) private var symbolSize: CGFloat = 64

    var body: some View {
        VStack(spacing: 12) {
            Image(systemName: branding.symbol)
                .font(.system(size: symbolSize))
                .foregroundStyle(branding.accent)
                .accessibilityHidden(true)
            Text(verbatim: branding.name)
                .font(.largeTitle.bold())
                .accessibilityAddTraits(.isHeader)
            if let tagline = branding.tagline {
                Text(LocalizedStringKey(tagline), bundle: branding.bundle ?? .main)
                    .font(.subheadline)
                    .foregroundStyle(.secondary)
                    .multilineTextAlignment(.center)
            }
        }
        .padding(.horizontal, 24)
    }
}

/// Apple's own button, 50 points high, and higher with larger text.
struct AppleButton: View {
    let sheet: AppleSheet
    let begin: @MainActor () -> Void
    @Environment(\.colorScheme) private var colorScheme
    @ScaledMetric(relativeTo: .body) private var height: CGFloat = 50

    var body: some View {
        SignInWithAppleButton(.signIn) { request in
            sheet.prepare(request)
            begin()
        } onCompletion: { result in
            sheet.finish(result)
        }
        .signInWithAppleButtonStyle(colorScheme == .dark ? .white : .black)
        .frame(height: height)
        .clipShape(RoundedRectangle(cornerRadius: 12))
        .accessibilityHint(Text(ui: "Double tap to authenticate using your Apple ID."))
    }
}
