import GatehouseModel
public import SwiftUI

extension View {
    /// Presents a sheet with the login screen, or the profile of a signed-in user. It closes when the user signs in or
    /// out, without a flash of the other screen. ``ProfileButton/init()`` has one already.
    ///
    /// ```swift
    /// struct AccountRow: View {
    ///     @State private var showsAccount = false
    ///
    ///     var body: some View {
    ///         Button("Account") { showsAccount = true }
    ///             .accountSheet(isPresented: $showsAccount)
    ///     }
    /// }
    /// ```
    ///
    /// Requires `gatehouse(_:branding:)` above. Gives way to the sheet for a new password.
    public func accountSheet(isPresented: Binding<Bool>) -> some View {
        modifier(AccountSheet(isPresented: isPresented))
    }

    /// Asks the account's questions on the content of a sheet of the app's own: the second step of a sign-in, a fresh proof,
    /// "Add a passkey?", and the alert about a mail's link. A screen below an open sheet cannot ask. ``LoginView`` and
    /// ``ProfileView`` ask by themselves.
    ///
    /// ```swift
    /// struct JoinButton: View {
    ///     let account: AuthManager
    ///     @State private var joins = false
    ///
    ///     var body: some View {
    ///         Button("Join") { joins = true }
    ///             .sheet(isPresented: $joins) { SignInView(account: account).accountQuestions() }
    ///             .onChange(of: account.isLoggedIn) { joins = false }
    ///     }
    /// }
    /// ```
    ///
    /// Requires `gatehouse(_:branding:)` above the sheet.
    public func accountQuestions() -> some View { modifier(AccountQuestions()) }
}

private struct AccountSheet: ViewModifier {
    @Environment(AuthManager.self) private var account: AuthManager?
    let isPresented: Binding<Bool>

    func body(content: Content) -> some View {
        content
            .sheet(isPresented: isPresented) {
                WithAccount { AccountScreen(isUser: $0.hasAccount) }.sheetSize()
            }
            // Here rather than in the screens, which disappear in the same update.
            .onChange(of: account?.hasAccount) { isPresented.wrappedValue = false }
            // Only one sheet can be open: a password reset takes precedence.
            .onChange(of: account?.needsNewPassword) { _, isNeeded in
                if isNeeded == true { isPresented.wrappedValue = false }
            }
    }
}

extension AuthManager {
    /// Whether a user is signed in who can come back: not anonymously.
    var hasAccount: Bool { isLoggedIn && !isAnonymous }
}

/// Keeps the screen with which it opened.
private struct AccountScreen: View {
    @State private var isUser: Bool

    init(isUser: Bool) { _isUser = State(initialValue: isUser) }

    var body: some View {
        if isUser { ProfileView() } else { LoginView() }
    }
}
