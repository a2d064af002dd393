import AuthenticationServices
import Gatehouse
import GatehouseModel
public import SwiftUI

/// The list of sign-in methods, which can be added, undone or removed, except the last one. Pushed from
/// ``ProfileView``; requires `gatehouse(_:branding:googleRedirect:clock:calls:)` above.
public struct SignInMethodsView: View {
    @Environment(AuthManager.self) private var manager

    /// Creates the screen. It takes its manager from the environment.
    public init() {}

    public var body: some View { SignInMethodsScreen(model: SignInMethodsModel(manager: manager)) }
}

private struct SignInMethodsScreen: View {
    private enum Wish: Hashable {
        case load, linkApple, linkGoogle
        case remove(UserIdentity)
        case undo(UndoableLink)
    }

    private struct Attempt: Hashable {
        var wish = Wish.load
        var number = 0
    }

    @Environment(\.googleBrowser) private var google
    @State private var model: SignInMethodsModel
    @State private var sheet = AppleSheet()
    @State private var attempt = Attempt()
    /// The number of the last attempt that has started.
    @State private var handled = 0
    @State private var question: MethodQuestion?
    @State private var asks = false

    init(model: SignInMethodsModel) { _model = State(initialValue: model) }

    var body: some View {
        // Not a Group, whose tasks would restart with each branch.
        ZStack {
            switch model.phase {
            case .loading: ProgressView()
            case .failed: LoadFailure { begin(.load) }
            case .showing, .working, .refused: list
            }
        }
        .navigationTitle(Text(ui: "Sign-In Methods"))
        .inlineTitle()
        .task(id: attempt) { await run() }
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
            if offersMore { Section { additions } }
            CredentialsSection(hasPassword: model.has("email"))
        }
        .disabled(model.phase == .working)
        .overlay { if model.phase == .working { ProgressView() } }
        .confirmationDialog(question?.title ?? Text(verbatim: ""), isPresented: $asks, titleVisibility: .visible) {
            Button(role: .destructive) {
                answer()
            } label: {
                question?.title
            }
            Button(role: .cancel) {
            } label: {
                Text(ui: "Cancel")
            }
        } message: {
            question?.message
        }
    }

    private var offersMore: Bool { !model.has(.apple) || google != nil && !model.has(.google) }

    @ViewBuilder private var additions: some View {
        if !model.has(.apple) { AppleButton(sheet: sheet) { begin(.linkApple) } }
        if google != nil, !model.has(.google) { GoogleButton { begin(.linkGoogle) } }
    }

    private func ask(_ question: MethodQuestion) { (self.question, asks) = (question, true) }

    private func answer() {
        switch question {
        case .remove(let identity): begin(.remove(identity))
        case .undo(let link): begin(.undo(link))
        case nil: break
        }
    }

    private func begin(_ wish: Wish) { attempt = Attempt(wish: wish, number: attempt.number + 1) }

    /// A page that reappears restarts its task with the same attempt; in that case only reload the lists.
    private func run() async {
        let wish = attempt.number > handled ? attempt.wish : .load
        handled = attempt.number
        switch wish {
        case .load: await model.load()
        case .linkApple: await model.linkApple { try await sheet.credential() }
        case .linkGoogle: if let google { await model.linkGoogle(in: google) }
        case .remove(let identity): await model.remove(identity)
        case .undo(let link): await model.undo(link)
        }
    }
}

/// A question before a destructive action.
private enum MethodQuestion {
    case remove(UserIdentity)
    case undo(UndoableLink)

    var title: Text {
        switch self {
        case .remove: Text(ui: "Remove")
        case .undo: Text(ui: "Undo")
        }
    }

    var message: Text {
        switch self {
        case .remove: Text(ui: "You will no longer be able to sign in this way.")
        case .undo: Text(ui: "Whoever signed in this way is signed out, perhaps here too.")
        }
    }
}

/// Links to the screens that change email address and password.
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
            // A password is useless without an email address.
            if manager.user?.email != nil {
                NavigationLink {
                    ChangePasswordView()
                } label: {
                    hasPassword ? Text(ui: "Change Password") : Text(ui: "Set a Password")
                }
            }
        }
    }
}
