import GatehouseModel
public import SwiftUI

/// Who is signed in, as a circle in the top bar. There is no third look while something loads.
public struct ProfileButton: View {
    @Environment(AuthManager.self) private var manager
    @Environment(\.branding) private var branding
    private let action: @MainActor () -> Void

    /// - Parameter action: Normally shows the account sheet.
    public init(action: @escaping @MainActor () -> Void) { self.action = action }

    public var body: some View {
        Button(action: action) {
            Circle()
                .fill(branding.accent)
                .frame(width: 32, height: 32)
                .overlay {
                    if let user = manager.user {
                        Text(verbatim: user.initial)
                            .font(.system(size: 14, weight: .semibold))
                            .foregroundStyle(.white)
                    } else {
                        Image(systemName: "person.fill")
                            .font(.system(size: 14))
                            .foregroundStyle(.white)
                    }
                }
                .frame(minWidth: 44, minHeight: 44)
                .contentShape(Rectangle())
        }
        .buttonStyle(.plain)
        .accessibilityLabel(manager.isLoggedIn ? Text(ui: "Your profile") : Text(ui: "Sign in"))
    }
}
