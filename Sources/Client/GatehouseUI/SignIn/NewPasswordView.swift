import GatehouseModel
public import SwiftUI

/// Asks for a new password after a password reset.
///
/// ![Fields for the new password.](NewPasswordView)
///
/// `gatehouse(_:branding:)` shows it while `AuthManager.needsNewPassword` is true.
public struct NewPasswordView: View {
    /// Creates the screen.
    public init() {}

    public var body: some View { WithAccount { NewPasswordScreen(manager: $0) } }
}

private struct NewPasswordScreen: View {
    let manager: AuthManager
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        NavigationStack {
            PasswordForm(model: ChangePasswordModel(manager: manager), done: leave)
                .navigationTitle(Text(ui: "New Password"))
                .inlineTitle()
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) {
                        Button(action: leave) { Text(ui: "Not Now") }.disabled(manager.isLoading)
                    }
                }
        }
    }

    private func leave() {
        manager.needsNewPassword = false
        dismiss()
    }
}
