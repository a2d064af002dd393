public import GatehouseModel
public import SwiftUI

// Parts of the screens that an app can replace or add. Each modifier acts on the screens below it, sheets included: put
// it where `accountSheet(isPresented:)` is, or above.
//
//     HomeView()
//         .loginFooter { Link("Terms of Use", destination: terms) }
//         .profileSections { user in Section { NavigationLink("My Journal") { Journal(of: user.id) } } }
extension View {
    /// Stands on the login screen in the place of symbol, name and tagline.
    public func loginHeader<Header: View>(@ViewBuilder _ header: @escaping @MainActor () -> Header) -> some View {
        environment(\.parts.loginHeader, { AnyView(header()) })
    }

    /// Stands at the foot of the login screen, as terms of use do.
    public func loginFooter<Footer: View>(@ViewBuilder _ footer: @escaping @MainActor () -> Footer) -> some View {
        environment(\.parts.loginFooter, { AnyView(footer()) })
    }

    /// Stands on the profile screen in the place of initial, name and address.
    public func profileHeader<Header: View>(
        @ViewBuilder _ header: @escaping @MainActor (AuthenticatedUser) -> Header
    ) -> some View {
        environment(\.parts.profileHeader, { AnyView(header($0)) })
    }

    /// Sections of the profile screen that are the app's own, above the account's rows: fields, links, settings.
    public func profileSections<Sections: View>(
        @ViewBuilder _ sections: @escaping @MainActor (AuthenticatedUser) -> Sections
    ) -> some View {
        environment(\.parts.profileSections, { AnyView(sections($0)) })
    }

    /// Stands in the place of ``ProfileButton``'s circle. It keeps 44 points to touch, and what VoiceOver says.
    ///
    /// - Parameter label: For who is signed in; nil for a guest.
    public func profileButtonLabel<Label: View>(
        @ViewBuilder _ label: @escaping @MainActor (AuthenticatedUser?) -> Label
    ) -> some View {
        environment(\.parts.profileButtonLabel, { AnyView(label($0)) })
    }
}

/// What an app has put in the place of the screens' own parts; nil where it has not.
struct AccountParts: Sendable {
    var loginHeader: (@MainActor () -> AnyView)?
    var loginFooter: (@MainActor () -> AnyView)?
    var profileHeader: (@MainActor (AuthenticatedUser) -> AnyView)?
    var profileSections: (@MainActor (AuthenticatedUser) -> AnyView)?
    var profileButtonLabel: (@MainActor (AuthenticatedUser?) -> AnyView)?
}

private struct AccountPartsKey: EnvironmentKey {
    static let defaultValue = AccountParts()
}

extension EnvironmentValues {
    var parts: AccountParts {
        get { self[AccountPartsKey.self] }
        set { self[AccountPartsKey.self] = newValue }
    }
}
