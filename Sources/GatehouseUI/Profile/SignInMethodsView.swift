import AuthenticationServices
import Gatehouse
import GatehouseModel
import SwiftUI

/// The ways to sign in: what is there, what can be added, and what can be removed, never the last one.
struct SignInMethodsView: View {
    private enum Step: Hashable {
        case load(Int)
        case linkApple(Int), linkGoogle(Int)
        case unlink(UserIdentity, Int)
    }

    @Environment(AuthManager.self) private var manager
    @Environment(\.googleBrowser) private var google
    @State private var identities: [UserIdentity]?
    @State private var sheet = AppleSheet()
    @State private var step = Step.load(0)
    @State private var count = 0
    @State private var isWorking = false
    @State private var message: SignInMessage?
    @State private var hasFailed = false
    @State private var leaving: UserIdentity?
    @State private var asksToRemove = false

    var body: some View {
        Group {
            if let identities {
                list(identities)
            } else if hasFailed {
                LoadFailure { step = .load(next()) }
            } else {
                ProgressView()
            }
        }
        .navigationTitle(Text(ui: "Sign-In Methods"))
        .navigationBarTitleDisplayMode(.inline)
        .task(id: step) { await run() }
    }

    private func list(_ identities: [UserIdentity]) -> some View {
        List {
            Section {
                ForEach(identities, id: \.identityID) { identity in
                    row(identity, isLast: identities.count == 1)
                }
            } footer: {
                if identities.count == 1 {
                    Text(ui: "Add another way to sign in before you remove this one.")
                }
            }
            Section {
                if !identities.contains(where: { $0.provider == "apple" }) {
                    AppleButton(sheet: sheet) { step = .linkApple(next()) }
                }
                if google != nil, !identities.contains(where: { $0.provider == "google" }) {
                    GoogleButton { step = .linkGoogle(next()) }
                }
            } footer: {
                if let message { MessageView(message: message) }
            }
        }
        .disabled(isWorking)
        .confirmationDialog(Text(ui: "Remove"), isPresented: $asksToRemove, titleVisibility: .visible) {
            Button(role: .destructive) {
                if let leaving { step = .unlink(leaving, next()) }
            } label: {
                Text(ui: "Remove")
            }
            Button(role: .cancel) {
            } label: {
                Text(ui: "Cancel")
            }
        } message: {
            Text(ui: "You will no longer be able to sign in this way.")
        }
    }

    private func row(_ identity: UserIdentity, isLast: Bool) -> some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                name(identity.provider)
                if let email = identity.email {
                    Text(verbatim: email).font(.footnote).foregroundStyle(.secondary)
                }
            }
            Spacer()
            if !isLast {
                Button(role: .destructive) {
                    (leaving, asksToRemove) = (identity, true)
                } label: {
                    Text(ui: "Remove").frame(minWidth: 44, minHeight: 44)
                }
                .buttonStyle(.borderless)
                .accessibilityLabel(Text(ui: "Remove \(name(identity.provider))"))
            }
        }
    }

    private func name(_ provider: String) -> Text {
        switch provider {
        case "apple": Text(verbatim: "Apple")
        case "google": Text(verbatim: "Google")
        case "email": Text(ui: "Email and Password")
        default: Text(verbatim: provider)
        }
    }

    private func next() -> Int {
        count += 1
        return count
    }

    private func run() async {
        (isWorking, message, hasFailed) = (true, nil, false)
        var method = AuthMethod.email
        do {
            switch step {
            case .load: break
            case .linkApple:
                method = .apple
                try await manager.linkApple { try await sheet.credential() }
            case .linkGoogle:
                method = .google
                if let google { try await manager.linkGoogle(in: google) }
            case .unlink(let identity, _): try await manager.unlink(identity)
            }
            identities = try await manager.identities()
        } catch {
            if step != .load(0), identities != nil { message = SignInMessage(method, error) } else { hasFailed = true }
        }
        isWorking = false
    }
}
