import GatehouseModel
import SwiftUI

/// While the app is active, asks the server for requests.
struct ConsentWatch: ViewModifier {
    @Environment(\.scenePhase) private var phase
    let account: AuthManager

    func body(content: Content) -> some View {
        content.task(id: isWatching ? account.user?.id : nil) {
            if isWatching { await account.consents.watch() }
        }
    }

    private var isWatching: Bool { phase == .active && account.isLoggedIn }
}

struct ConsentSheet: ViewModifier {
    let account: AuthManager
    /// No other account sheet covers the screen.
    let isOnTop: Bool
    /// The sheet itself is an account screen.
    @State private var isOpen = false

    func body(content: Content) -> some View {
        content.sheet(isPresented: isPresented) {
            if let request = account.authorizationRequest {
                NavigationStack { RequestPage(request: request, manager: account).closable() }
                    .modifier(AccountQuestions(offersPasskey: false))
                    // Each request needs its own model.
                    .id(request)
                    .sheetSize()
                    .onAppear { isOpen = true }
                    .onDisappear { isOpen = false }
            }
        }
    }

    private var isPresented: Binding<Bool> {
        Binding {
            account.isLoggedIn && account.authorizationRequest != nil && (isOpen || isOnTop && !account.asks)
        } set: {
            // The user swiped the sheet away.
            if !$0, account.isLoggedIn { account.consents.dismiss() }
        }
    }
}

extension AuthManager {
    /// Only one sheet can be open.
    fileprivate var asks: Bool {
        proofQuestion != nil || switchQuestion != nil || asksForPasskey || asksForEmailCode || needsNewPassword
    }
}

extension View {
    /// With a button that closes the sheet without a decision.
    fileprivate func closable() -> some View { modifier(Closable()) }
}

private struct Closable: ViewModifier {
    @Environment(\.dismiss) private var dismiss

    func body(content: Content) -> some View {
        content.toolbar {
            ToolbarItem(placement: .cancellationAction) {
                Button {
                    dismiss()
                } label: {
                    Text(ui: "Close")
                }
            }
        }
    }
}
