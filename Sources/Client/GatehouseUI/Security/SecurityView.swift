import Foundation
import Gatehouse
import GatehouseModel
public import SwiftUI

/// The account's passkeys, authenticator apps, telephone numbers and recovery codes.
///
/// ![Passkeys, an authenticator app and recovery codes.](SecurityView)
///
/// Push it onto a navigation stack; ``ProfileView`` does. Requires `gatehouse(_:branding:)` above.
public struct SecurityView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { SecurityScreen(manager: $0) } }
}

private struct SecurityScreen: View {
    @Environment(\.passkeys) private var passkeys
    @Environment(\.branding) private var branding
    private let manager: AuthManager
    @State private var model: SecurityModel
    @State private var loads = 0
    @State private var question: SecurityQuestion?
    @State private var asks = false

    init(manager: AuthManager) {
        self.manager = manager
        _model = State(initialValue: SecurityModel(manager: manager))
    }

    var body: some View {
        // A Group's tasks would restart with each branch.
        ZStack {
            switch model.phase {
            case .loading: ProgressView()
            case .failed: LoadFailure { loads += 1 }
            case .showing, .working, .refused: list
            }
        }
        .navigationTitle(Text(ui: "Security"))
        .inlineTitle()
        // Reloads after a screen that may have changed something.
        .task(id: loads) { await model.load() }
    }

    private var list: some View {
        List {
            if let message = model.message { Section { MessageView(message: message) } }
            if let keys = model.passkeys { passkeySection(keys) }
            if model.offersApps || model.offersPhones || !model.factors.isEmpty { factorSection }
            if model.offersCodes { codesSection }
        }
        .disabled(model.phase == .working)
        .overlay { if model.phase == .working { ProgressView() } }
        .confirmationDialog(for: question, isPresented: $asks, act: answer)
    }

    private func passkeySection(_ keys: [AuthPasskey]) -> some View {
        Section {
            ForEach(keys) { key in
                NavigationLink {
                    PasskeyView(passkey: key, model: model)
                } label: {
                    PasskeyRow(passkey: key)
                }
            }
            if let passkeys {
                Button {
                    model.addPasskey(with: passkeys)
                } label: {
                    Text(ui: "Add a Passkey").frame(minHeight: 44)
                }
            }
        } header: {
            Text(ui: "Your Passkeys")
        } footer: {
            Text(ui: "A passkey signs you in with your face, your fingerprint or your screen lock.")
        }
    }

    private var factorSection: some View {
        Section {
            ForEach(model.factors) { factor in
                FactorRow(factor: factor) { ask(.factor(factor)) }
            }
            if model.offersApps {
                NavigationLink {
                    AppEnrollmentView(manager: manager, issuer: branding.name)
                } label: {
                    Text(ui: "Add an Authenticator App")
                }
            }
            if model.offersPhones {
                NavigationLink {
                    PhoneView(kind: .secondFactor, manager: manager)
                } label: {
                    Text(ui: "Add a Phone Number")
                }
            }
        } header: {
            Text(ui: "Two-Step Verification")
        } footer: {
            if model.factors.isEmpty {
                Text(ui: "Two-step verification protects your account even if someone learns your password.")
            }
        }
    }

    private var codesSection: some View {
        Section {
            if let codes = model.codes {
                Text(ui: "\(String(codes.remaining)) of \(String(codes.total)) left")
                    .foregroundStyle(model.hasFewCodes ? Color.red : Color.secondary)
            }
            if model.offersNewCodes {
                NavigationLink {
                    RecoveryCodesView(manager: manager, replacing: model.codes != nil)
                } label: {
                    model.codes == nil ? Text(ui: "Create Recovery Codes") : Text(ui: "Create New Codes")
                }
            }
            if model.codes != nil {
                Button(role: .destructive) {
                    ask(.codes)
                } label: {
                    Text(ui: "Remove Recovery Codes").frame(minHeight: 44)
                }
            }
        } header: {
            Text(ui: "Recovery Codes")
        } footer: {
            Text(ui: "If you lose your phone, a recovery code signs you in. Each works once.")
        }
    }

    private func ask(_ question: SecurityQuestion) { (self.question, asks) = (question, true) }

    private func answer() {
        switch question {
        case .factor(let factor): model.remove(factor)
        case .codes: model.deleteCodes()
        case nil: break
        }
    }
}

private enum SecurityQuestion: DestructiveQuestion {
    case factor(AuthFactor)
    case codes

    var title: Text {
        switch self {
        case .factor: Text(ui: "Remove")
        case .codes: Text(ui: "Remove Recovery Codes")
        }
    }

    var message: Text {
        switch self {
        case .factor: Text(ui: "You'll no longer be asked for its codes.")
        case .codes: Text(ui: "You'll no longer be able to sign in with them.")
        }
    }
}

private struct FactorRow: View {
    let factor: AuthFactor
    let remove: @MainActor () -> Void

    var body: some View {
        AdaptiveRow {
            VStack(alignment: .leading, spacing: 2) {
                name
                Text(ui: "Added on \(day(factor.createdAt))")
                    .textStyle(.footnote)
                    .foregroundStyle(.secondary)
            }
            Spacer()
            Button(role: .destructive, action: remove) { Text(ui: "Remove").frame(minWidth: 44, minHeight: 44) }
                .buttonStyle(.borderless)
                .accessibilityLabel(Text(ui: "Remove \(name)"))
        }
    }

    private var name: Text {
        if let phone = factor.phone { return Text(verbatim: phone.shownNumber) }
        if factor.factorType == .webAuthn { return Text(verbatim: factor.friendlyName ?? "WebAuthn") }
        return factor.friendlyName.map { Text(verbatim: $0) } ?? Text(ui: "Authenticator App")
    }
}
