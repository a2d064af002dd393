import GatehouseModel
public import SwiftUI

/// A top bar circle with the signed-in user, which opens the login screen or the profile.
///
/// ![A circle with an initial in the bar of an app.](ProfileButton)
///
/// It is empty while the user is unknown.
///
/// ```swift
/// struct JournalHome: View {
///     var body: some View {
///         NavigationStack { Text("Today").toolbar { ProfileButton() } }
///     }
/// }
/// ```
public struct ProfileButton: View {
    @State private var showsAccount = false
    private let action: (@MainActor () -> Void)?

    /// Creates a button that opens the account sheet. Requires `gatehouse(_:branding:)` above.
    public init() { action = nil }

    /// Creates a button for a custom `accountSheet(isPresented:)`.
    ///
    /// - Parameter action: Usually presents that sheet.
    public init(action: @escaping @MainActor () -> Void) { self.action = action }

    public var body: some View {
        if let action {
            WithAccount { AccountButton(account: $0, action: action) }
        } else {
            WithAccount { AccountButton(account: $0) { showsAccount = true } }
                .accountSheet(isPresented: $showsAccount)
        }
    }
}

private struct AccountButton: View {
    let account: AuthManager
    let action: @MainActor () -> Void
    @Environment(\.parts) private var parts
    @Environment(\.branding) private var branding

    var body: some View {
        if let label = parts.profileButtonLabel, account.phase != .restoring {
            Button(action: action) { label(account.user).tapTarget() }
                .buttonStyle(.plain)
                .accessibilityLabel(name)
        } else {
            Button(action: action) { circle }
                .circleButton(account.phase == .restoring ? .quiet : branding.accent)
                .accessibilityLabel(name)
        }
    }

    @ViewBuilder private var circle: some View {
        if account.phase == .restoring {
            EmptyCircle()
        } else {
            AccountCircle(user: account.hasAccount ? account.user : nil)
        }
    }

    private var name: Text {
        if account.phase == .restoring { return Text(ui: "Account") }
        return account.hasAccount ? Text(ui: "Your profile") : Text(ui: "Sign in")
    }
}

/// Where there is glass, the button is the circle.
private struct AccountCircle: View {
    let user: AuthenticatedUser?
    @Environment(\.branding) private var branding
    @Environment(\.onAccent) private var onAccent

    var body: some View {
        if hasGlass {
            sign.frame(minWidth: 20, minHeight: 30)
        } else {
            Circle().fill(branding.accent).frame(width: 32, height: 32).overlay { sign }.tapTarget()
        }
    }

    private var sign: some View {
        Group {
            if let user { Text(verbatim: user.initial) } else { Image(systemName: "person.fill") }
        }
        .textStyle(.footnote, .title, weight: .semibold)
        .dynamicTypeSize(...DynamicTypeSize.xxLarge)
        .foregroundStyle(onAccent)
    }
}

private struct EmptyCircle: View {
    var body: some View {
        if hasGlass {
            Color.clear.frame(width: 20, height: 30)
        } else {
            Circle().fill(Color.quiet).frame(width: 32, height: 32).tapTarget()
        }
    }
}

extension View {
    fileprivate func tapTarget() -> some View { frame(minWidth: 44, minHeight: 44).contentShape(Rectangle()) }
}
