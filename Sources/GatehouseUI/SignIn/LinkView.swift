import AuthenticationServices
import Gatehouse
import GatehouseModel
public import SwiftUI

/// Links two sign-in methods after the user proves ownership of the account that has the provider's address.
/// ``LoginView`` shows it while `AuthManager.linkQuestion` is set.
public struct LinkView: View {
    @Environment(AuthManager.self) private var manager

    /// Creates the screen. It takes its manager from the environment.
    public init() {}

    public var body: some View { LinkScreen(model: LinkModel(manager: manager)) }
}

private struct LinkScreen: View {
    private enum Answer: Hashable {
        case password, apple, google, recovery
    }

    private struct Attempt: Hashable {
        var answer: Answer
        var number: Int
    }

    @Environment(\.googleBrowser) private var google
    @State private var model: LinkModel
    // The password exists only as long as the screen, and is cleared after the attempt that used it.
    @State private var password = ""
    @State private var sheet = AppleSheet()
    @State private var attempt: Attempt?
    @State private var asksToRecover = false

    /// The question's address, kept while the screen disappears.
    @State private var email: String

    init(model: LinkModel) {
        _model = State(initialValue: model)
        _email = State(initialValue: model.question?.email ?? "")
    }

    var body: some View {
        Form {
            Section {
                Text(ui: "\(email) already has an account. Sign in to it to link the two.")
                if model.methods.contains(.email) { passwordRows }
                if model.methods.contains(.apple) { AppleButton(sheet: sheet) { begin(.apple) } }
                if model.methods.contains(.google), google != nil { GoogleButton { begin(.google) } }
            } footer: {
                // Without a question, the login screen shows the message.
                if let message = model.message, model.question != nil { MessageView(message: message) }
            }
            if model.canRecover { Section { recovery } }
        }
        .disabled(model.isBusy)
        .scrollDismissesKeyboard(.interactively)
        .navigationTitle(Text(ui: "Link Accounts"))
        .inlineTitle()
        .overlay {
            if isBusy { BusyOverlay(text: Text(ui: "Signing in...")) }
        }
        .interactiveDismissDisabled(isBusy)
        .navigationBarBackButtonHidden(isBusy)
        .attempt(attempt?.number ?? 0) {
            guard let attempt else { return }
            await run(attempt.answer)
            password = ""
        }
        .onDisappear {
            password = ""
            model.dismiss()
        }
    }

    private var isBusy: Bool { if case .working = model.phase { true } else { false } }

    @ViewBuilder private var passwordRows: some View {
        SecureField(text: $password) { Text(ui: "Password") }
            .textContentType(.password)
            .submitLabel(.go)
            .onSubmit { if !password.isEmpty { begin(.password) } }
            .frame(minHeight: 44)
        Button {
            begin(.password)
        } label: {
            Text(ui: "Link with Password")
        }
        .buttonStyle(WideButtonStyle(.prominent))
        .disabled(password.isEmpty)
    }

    private var recovery: some View {
        Button(role: .destructive) {
            asksToRecover = true
        } label: {
            Text(ui: "Start Anew with This Email").frame(minHeight: 44)
        }
        .confirmationDialog(
            Text(ui: "Start Anew with This Email"), isPresented: $asksToRecover, titleVisibility: .visible
        ) {
            Button(role: .destructive) {
                model.askToRecover()
                begin(.recovery)
            } label: {
                Text(ui: "Start Anew with This Email")
            }
            Button(role: .cancel) {
            } label: {
                Text(ui: "Cancel")
            }
        } message: {
            Text(
                ui: "The account that has this email now will be deleted with all its data. This cannot be undone."
            )
        }
    }

    private func begin(_ answer: Answer) { attempt = Attempt(answer: answer, number: (attempt?.number ?? 0) + 1) }

    private func run(_ answer: Answer) async {
        switch answer {
        case .password: await model.confirm(password: password)
        case .apple: await model.confirmWithApple { try await sheet.credential() }
        case .google:
            if let google { await model.confirmWithGoogle(in: google) }
        case .recovery: await model.recover()
        }
    }
}
