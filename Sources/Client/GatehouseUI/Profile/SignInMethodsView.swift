import AuthenticationServices
import Gatehouse
import GatehouseModel
public import SwiftUI

/// Lists sign-in methods, to add, undo or remove all but the last one.
///
/// ![Email and Google, with buttons to add and remove.](SignInMethodsView)
///
/// Push it onto a navigation stack; ``ProfileView`` does. Requires `gatehouse(_:branding:)` above.
public struct SignInMethodsView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { SignInMethodsScreen(model: SignInMethodsModel(manager: $0)) } }
}

private struct SignInMethodsScreen: View {
    @Environment(\.browser) private var browser
    @State private var model: SignInMethodsModel
    @State private var sheet = AppleSheet()
    @State private var loads = 0
    @State private var question: MethodQuestion?
    @State private var asks = false

    init(model: SignInMethodsModel) { _model = State(initialValue: model) }

    var body: some View {
        // A Group's tasks would restart with each branch.
        ZStack {
            switch model.phase {
            case .loading: ProgressView()
            case .failed: LoadFailure { loads += 1 }
            case .showing, .working, .refused: list
            }
        }
        .navigationTitle(Text(ui: "Sign-In Methods"))
        .inlineTitle()
        .task(id: loads) { await model.load() }
    }

    private var list: some View {
        List {
            Section {
                ForEach(model.identities, id: \.identityID) { identity in
                    IdentityRow(identity: identity, canRemove: model.canRemove) { ask(.remove(identity)) }
                }
            } footer: {
                if !model.canRemove { Text(ui: "Add another way to sign in before you remove this one.") }
            }
            if let message = model.message { Section { MessageView(message: message) } }
            UndoSection(links: model.undoable) { ask(.undo($0)) }
            additions
            CredentialsSection(hasPassword: model.has("email"))
        }
        .disabled(model.phase == .working)
        .overlay { if model.phase == .working { ProgressView() } }
        .confirmationDialog(for: question, isPresented: $asks, act: answer)
    }

    @ViewBuilder private var additions: some View {
        let methods = model.additions(hasBrowser: browser != nil)
        if !methods.isEmpty {
            Section {
                ForEach(methods, id: \.self) { addition($0) }
            } header: {
                Text(ui: "Add a Way to Sign In")
            }
            .clearRows()
        }
    }

    @ViewBuilder private func addition(_ method: AuthMethod) -> some View {
        if method == .apple {
            AppleButton(sheet: sheet) { model.linkApple { try await sheet.credential() } }
        } else if let provider = method.provider, let browser {
            ProviderButton(method: method) { model.link(provider, in: browser) }
        }
    }

    private func ask(_ question: MethodQuestion) { (self.question, asks) = (question, true) }

    private func answer() {
        switch question {
        case .remove(let identity): model.remove(identity)
        case .undo(let link): model.undo(link)
        case nil: break
        }
    }
}

private enum MethodQuestion: DestructiveQuestion {
    case remove(AuthUserIdentity)
    case undo(AuthUndoableLink)

    var title: Text {
        switch self {
        case .remove: Text(ui: "Remove")
        case .undo: Text(ui: "Undo")
        }
    }

    var message: Text {
        switch self {
        case .remove: Text(ui: "You'll no longer be able to sign in this way.")
        case .undo: Text(ui: "Other devices that signed in this way will be signed out.")
        }
    }
}

private struct CredentialsSection: View {
    @Environment(AuthManager.self) private var manager
    let hasPassword: Bool

    var body: some View {
        Section {
            NavigationLink {
                ChangeEmailView()
            } label: {
                manager.user?.email == nil ? Text(ui: "Add Email") : Text(ui: "Change Email")
            }
            if manager.serverSettings?.allowsPhone == true {
                NavigationLink {
                    ChangePhoneView()
                } label: {
                    manager.user?.phone == nil ? Text(ui: "Add Phone Number") : Text(ui: "Change Phone Number")
                }
            }
            // A password is useless without an email address.
            if manager.user?.email != nil {
                NavigationLink {
                    ChangePasswordView()
                } label: {
                    hasPassword ? Text(ui: "Change Password") : Text(ui: "Set a Password")
                }
            }
        } footer: {
            VStack(alignment: .leading, spacing: 8) {
                if let new = manager.user?.newEmail { Text(ui: "\(new) isn't confirmed yet.") }
                if let new = manager.user?.newPhone { Text(ui: "\(new.shownNumber) isn't confirmed yet.") }
            }
        }
    }
}
