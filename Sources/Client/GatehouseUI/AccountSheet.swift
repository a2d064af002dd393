import GatehouseModel
public import SwiftUI

extension View {
    /// Presents the login screen, or a signed-in user's profile, in a sheet.
    ///
    /// It closes when the user signs in or out. ``ProfileButton/init()`` includes it.
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
    /// Requires `gatehouse(_:branding:)` above. Yields to the sheet for a new password.
    public func accountSheet(isPresented: Binding<Bool>) -> some View {
        modifier(AccountSheet(isPresented: isPresented))
    }

    /// Presents the account's questions over a custom sheet, which hides those of the screen below.
    ///
    /// These are the second factor, a fresh proof, "Add a passkey?", requests for access and an emailed link's alert.
    /// ``LoginView`` and ``ProfileView`` include them.
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
            // The screens disappear in the same update.
            .onChange(of: account?.hasAccount) { isPresented.wrappedValue = false }
            // Only one sheet can be open.
            .onChange(of: account?.needsNewPassword) { _, isNeeded in
                if isNeeded == true { isPresented.wrappedValue = false }
            }
    }
}

extension AuthManager {
    var hasAccount: Bool { isLoggedIn && !isAnonymous }
}

private struct AccountScreen: View {
    @State private var isUser: Bool

    init(isUser: Bool) { _isUser = State(initialValue: isUser) }

    var body: some View {
        if isUser { ProfileView() } else { LoginView() }
    }
}
