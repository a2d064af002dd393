public import GatehouseModel
public import SwiftUI

// Each modifier applies to the screens below it, including sheets.
extension View {
    /// Replaces the login screen's symbol, name and tagline.
    ///
    /// ```swift
    /// HomeView()
    ///     .loginHeader { Label("Keep your days", systemImage: "book.fill") }
    /// ```
    public func loginHeader<Header: View>(@ViewBuilder _ header: @escaping @MainActor () -> Header) -> some View {
        environment(\.parts.loginHeader, { AnyView(header()) })
    }

    /// Adds a footer to the login screen, for example terms of use.
    ///
    /// ```swift
    /// HomeView()
    ///     .loginFooter { Link("Terms of Use", destination: terms) }
    /// ```
    public func loginFooter<Footer: View>(@ViewBuilder _ footer: @escaping @MainActor () -> Footer) -> some View {
        environment(\.parts.loginFooter, { AnyView(footer()) })
    }

    /// Replaces the profile screen's initial, name and email address.
    public func profileHeader<Header: View>(
        @ViewBuilder _ header: @escaping @MainActor (AuthenticatedUser) -> Header
    ) -> some View {
        environment(\.parts.profileHeader, { AnyView(header($0)) })
    }

    /// Adds sections to the profile screen, above the account's rows.
    ///
    /// ```swift
    /// HomeView()
    ///     .profileSections { user in
    ///         Section { NavigationLink("My Journal") { Journal(of: user.id) } }
    ///     }
    /// ```
    public func profileSections<Sections: View>(
        @ViewBuilder _ sections: @escaping @MainActor (AuthenticatedUser) -> Sections
    ) -> some View {
        environment(\.parts.profileSections, { AnyView(sections($0)) })
    }

    /// Replaces the circle of ``ProfileButton``, within its tap target of 44 points.
    ///
    /// - Parameter label: Receives the signed-in user; nil if signed out.
    public func profileButtonLabel<Label: View>(
        @ViewBuilder _ label: @escaping @MainActor (AuthenticatedUser?) -> Label
    ) -> some View {
        environment(\.parts.profileButtonLabel, { AnyView(label($0)) })
    }
}

/// How users sign in with their email address.
public enum EmailSignIn: Hashable, Sendable {
    /// A password.
    case password
    /// An emailed code, including for new users.
    case code
    /// A password, or a code if they prefer.
    case passwordOrCode
}

extension View {
    /// Sets how users sign in with their email address, by default with a password.
    ///
    /// A server that sends no email always requires a password.
    ///
    /// ```swift
    /// HomeView()
    ///     .emailSignIn(.code)
    /// ```
    public func emailSignIn(_ way: EmailSignIn) -> some View { environment(\.emailSignIn, way) }
}

/// The place of "Sign in with a passkey" on the login screen.
public enum PasskeySignIn: Hashable, Sendable {
    /// Below the providers.
    case last
    /// Above everything else.
    case first
}

extension View {
    /// Sets the place of passkeys on the login screen, by default last.
    ///
    /// ```swift
    /// HomeView()
    ///     .passkeySignIn(.first)
    /// ```
    public func passkeySignIn(_ place: PasskeySignIn) -> some View { environment(\.passkeySignIn, place) }
}

private struct PasskeySignInKey: EnvironmentKey {
    static let defaultValue = PasskeySignIn.last
}

private struct EmailSignInKey: EnvironmentKey {
    static let defaultValue = EmailSignIn.password
}

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
    var emailSignIn: EmailSignIn {
        get { self[EmailSignInKey.self] }
        set { self[EmailSignInKey.self] = newValue }
    }

    var passkeySignIn: PasskeySignIn {
        get { self[PasskeySignInKey.self] }
        set { self[PasskeySignInKey.self] = newValue }
    }

    var parts: AccountParts {
        get { self[AccountPartsKey.self] }
        set { self[AccountPartsKey.self] = newValue }
    }
}
