import GatehouseModel
public import SwiftUI

/// Who is signed in, as a circle in the top bar. There is no third look while something loads.
public struct ProfileButton: View {
    @Environment(AuthManager.self) private var manager
    @Environment(\.parts) private var parts
    private let action: @MainActor () -> Void

    /// - Parameter action: Normally shows the account sheet.
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

/// The initial of a user, or a guest's person: 32 points, with a letter that fits.
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
