import GatehouseModel
public import SwiftUI

/// A circle in the top bar that shows the signed-in user. Has no separate loading state.
public struct ProfileButton: View {
    @Environment(AuthManager.self) private var manager
    @Environment(\.parts) private var parts
    private let action: @MainActor () -> Void

    /// - Parameter action: Usually presents the account sheet.
    public init(action: @escaping @MainActor () -> Void) { self.action = action }

    public var body: some View {
        Button(action: action) {
            Group {
                if let label = parts.profileButtonLabel {
                    label(manager.user)
                } else {
                    AccountCircle(user: manager.user)
                }
            }
            .frame(minWidth: 44, minHeight: 44)
            .contentShape(Rectangle())
        }
        .buttonStyle(.plain)
        .accessibilityLabel(manager.isLoggedIn ? Text(ui: "Your profile") : Text(ui: "Sign in"))
    }
}

/// A circle of 32 points with the user's initial, or a person symbol if signed out.
private struct AccountCircle: View {
    let user: AuthenticatedUser?
    @Environment(\.branding) private var branding

    var body: some View {
        Circle()
            .fill(branding.accent)
            .frame(width: 32, height: 32)
            .overlay {
                Group {
                    if let user { Text(verbatim: user.initial) } else { Image(systemName: "person.fill") }
                }
                .font(.footnote.weight(.semibold))
                .dynamicTypeSize(...DynamicTypeSize.xxLarge)
                .foregroundStyle(.white)
            }
    }
}
