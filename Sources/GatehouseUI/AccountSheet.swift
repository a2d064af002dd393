import GatehouseModel
public import SwiftUI

extension View {
    /// Shows the login screen to a guest, and the profile to a user. It closes itself when somebody signs in or out:
    /// never does one screen flash up in the other's place.
    ///
    /// Needs what `gatehouse(_:branding:googleRedirect:clock:calls:)` gives, and leaves the screen to the question for a
    /// new password.
    public func accountSheet(isPresented: Binding<Bool>) -> some View {
        modifier(AccountSheet(isPresented: isPresented))
    }
}

private struct AccountSheet: ViewModifier {
    @Environment(AuthManager.self) private var manager
    let isPresented: Binding<Bool>

    func body(content: Content) -> some View {
        content
            .sheet(isPresented: isPresented) {
                AccountScreen(isUser: manager.isLoggedIn).modifier(MailLinksInSheet())
            }
            // Here, not in the screens: they go away in the same update.
            .onChange(of: manager.isLoggedIn) { isPresented.wrappedValue = false }
            // One sheet at a time: whoever came by a recovery mail is asked for a password.
            .onChange(of: manager.needsNewPassword) { _, isNeeded in if isNeeded { isPresented.wrappedValue = false } }
    }
}

/// Stays what it was when it opened.
private struct AccountScreen: View {
    @State private var isUser: Bool

    init(isUser: Bool) { _isUser = State(initialValue: isUser) }

    var body: some View {
        if isUser { ProfileView() } else { LoginView() }
    }
}
