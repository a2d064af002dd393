import GatehouseModel
public import SwiftUI

/// Asks whoever came by a recovery mail for a new password. `gatehouse(_:branding:googleRedirect:clock:calls:)` shows it
/// while `AuthManager.needsNewPassword`.
public struct NewPasswordView: View {
    @Environment(AuthManager.self) private var manager
    @Environment(\.dismiss) private var dismiss

    public init() {}

    public var body: some View {
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
