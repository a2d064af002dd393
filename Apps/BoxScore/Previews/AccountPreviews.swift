import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI

/// An account screen with in-memory accounts, prepared before it is shown.
private struct AccountPreview<Content: View>: View {
    @State private var manager: AuthManager
    @State private var isReady = false
    private let google: ScriptedProviderSheet?
    private let prepare: @MainActor (AuthManager, ScriptedProviderSheet) async throws -> Void
    private let content: Content

    init(
        _ service: InMemoryAuthService = .signedIn(), hasGoogle: Bool = true,
        prepare: @escaping @MainActor (AuthManager, ScriptedProviderSheet) async throws -> Void = { _, _ in },
        @ViewBuilder content: () -> Content
    ) {
        _manager = State(initialValue: service.makeManager())
        google = hasGoogle ? ScriptedProviderSheet(.signsIn(.ada)) : nil
        self.prepare = prepare
        self.content = content()
    }

    var body: some View {
        Group {
            if isReady { content } else { ProgressView() }
        }
        .gatehouse(manager, branding: .boxScore, google: google, calls: Self.calls)
        .task {
            await manager.wait { $0.phase != .restoring && !$0.isLoading }
            // Lost: a deliberate failure, which the screen shows.
            try? await prepare(manager, google ?? ScriptedProviderSheet(.signsIn(.ada)))
            isReady = true
        }
    }

    private static var calls: AccountCalls {
        var calls = AccountCalls()
        calls.sendPasswordMail = { _ in }
        calls.resendConfirmation = { _ in }
        calls.devices = {
            [
                SessionInfo(id: Fixtures.id(1), createdAt: Fixtures.date, userAgent: "iPhone", isCurrent: true),
                SessionInfo(id: Fixtures.id(2), createdAt: Fixtures.date, userAgent: "iPad"),
            ]
        }
        calls.endDevice = { _ in }
        return calls
    }
}

/// A service with Ada's account, whose address is not proven.
@MainActor private func withAccount() -> InMemoryAuthService {
    let service = InMemoryAuthService()
    service.addAccount(email: "ada@example.com", firstName: "Ada")
    return service
}

@MainActor private func service(_ fault: InMemoryAuthService.Fault, at call: InMemoryAuthService.Call?)
    -> InMemoryAuthService
{
    let service = InMemoryAuthService.signedIn()
    service.stay(fault, at: call)
    return service
}

@MainActor private func ended() -> InMemoryAuthService {
    let service = InMemoryAuthService.signedIn()
    service.endSession(.endedByServer(.sessionExpired))
    return service
}

#Preview("Login") { AccountPreview(InMemoryAuthService()) { LoginView() } }

#Preview("Login, no Google") { AccountPreview(InMemoryAuthService(), hasGoogle: false) { LoginView() } }

#Preview("Login, session ended") { AccountPreview(ended()) { LoginView() } }

#Preview("Login, parts of the app's own") {
    AccountPreview(InMemoryAuthService()) { LoginView() }
        .loginHeader { Image(systemName: "star.fill") }
        .loginFooter { Text(verbatim: "Terms of Use") }
}

#Preview("Sign in") { AccountPreview(InMemoryAuthService()) { NavigationStack { EmailAuthView(mode: .signIn) } } }

#Preview("Create account") {
    AccountPreview(InMemoryAuthService()) { NavigationStack { EmailAuthView(mode: .signUp) } }
}

#Preview("Link accounts") {
    AccountPreview(withAccount()) { manager, google in
        try await manager.signInWithGoogle(in: google)
    } content: {
        LoginView()
    }
}

#Preview("Link took too long") {
    let service = withAccount()
    AccountPreview(service) { manager, google in
        do { try await manager.signInWithGoogle(in: google) } catch { service.meet(.linkTicketExpired) }
        try await manager.recoverAccount()
    } content: {
        LoginView()
    }
}

#Preview("New password") { AccountPreview { NewPasswordView() } }

#Preview("Profile") { AccountPreview { ProfileView() } }

#Preview("Profile, offline") { AccountPreview(service(.offline, at: .fetchMe)) { ProfileView() } }

#Preview("Profile, parts of the app's own") {
    AccountPreview { ProfileView() }
        .profileHeader { user in Text(verbatim: user.initial).font(.largeTitle) }
        .profileSections { _ in Section { Text(verbatim: "Notifications") } }
}

#Preview("Methods") { AccountPreview { NavigationStack { SignInMethodsView() } } }

#Preview("Methods, one to undo") {
    AccountPreview { manager, google in
        try await manager.linkGoogle(in: google)
    } content: {
        NavigationStack { SignInMethodsView() }
    }
}

#Preview("Methods, unavailable") {
    AccountPreview(service(.serviceUnavailable, at: .identities)) { NavigationStack { SignInMethodsView() } }
}

#Preview("Methods, loading") {
    AccountPreview(service(.slow, at: .identities)) { NavigationStack { SignInMethodsView() } }
}

#Preview("Change email") { AccountPreview { NavigationStack { ChangeEmailView() } } }

#Preview("Change password") { AccountPreview { NavigationStack { ChangePasswordView() } } }

#Preview("Profile, largest text, Arabic, dark") {
    AccountPreview { ProfileView() }
        .environment(\.dynamicTypeSize, .accessibility5)
        .environment(\.locale, Locale(identifier: "ar"))
        .environment(\.layoutDirection, .rightToLeft)
        .preferredColorScheme(.dark)
}
