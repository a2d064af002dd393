import GatehouseModel
import SwiftUI

/// Asks "Add a passkey?" once per device, after a sign-in.
struct PasskeyOffering: ViewModifier {
    @Environment(\.passkeys) private var passkeys
    let account: AuthManager

    func body(content: Content) -> some View {
        content.task(id: account.isLoggedIn) {
            if let passkeys { await account.passkeys.offer(with: passkeys) }
        }
    }
}

struct PasskeyOffer: ViewModifier {
    let account: AuthManager
    /// No other account sheet covers the screen.
    let isOnTop: Bool

    func body(content: Content) -> some View {
        content.sheet(isPresented: isPresented) { PasskeyOfferView(account: account).sheetSize() }
    }

    private var isPresented: Binding<Bool> {
        Binding {
            isOnTop && account.asksForPasskey
        } set: {
            // The user swiped the sheet away.
            if !$0, account.asksForPasskey { account.passkeys.dismissOffer() }
        }
    }
}

private struct PasskeyOfferView: View {
    @Environment(\.passkeys) private var passkeys
    @State private var model: PasskeyOfferModel

    init(account: AuthManager) { _model = State(initialValue: PasskeyOfferModel(manager: account)) }

    var body: some View {
        QuestionPage(symbol: "person.badge.key.fill", title: Text(ui: "Add a passkey?")) {
            Text(
                ui: "Next time, sign in with your face, fingerprint or screen lock instead of a password."
            )
            .foregroundStyle(.secondary)
            if let message = model.message { MessageView(message: message, retry: add) }
        } answers: {
            Group {
                Button(action: add) { Text(ui: "Add a Passkey") }.buttonStyle(WideButtonStyle(.prominent))
                Button {
                    model.dismiss()
                } label: {
                    Text(ui: "Not Now").frame(minWidth: 44, minHeight: 44)
                }
            }
            .disabled(model.isWorking)
        }
        .interactiveDismissDisabled(model.isWorking)
    }

    private func add() {
        if let passkeys { model.add(with: passkeys) }
    }
}
