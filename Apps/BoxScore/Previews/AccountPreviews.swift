#if DEBUG
// Not in a shipped app: GatehouseTesting and its accounts.
import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseUI
import SwiftUI

/// An account screen with in-memory accounts, prepared before it is shown.
private struct AccountPreview<Content: View>: View {
    @State private var manager: AuthManager
    @State private var isReady = false
    private let browser: ScriptedProviderSheet
    private let prepare: @MainActor (AuthManager, ScriptedProviderSheet) async throws -> Void
    private let content: Content

    init(
        _ service: InMemoryAuthService = .signedIn(),
        prepare: @escaping @MainActor (AuthManager, ScriptedProviderSheet) async throws -> Void = { _, _ in },
        @ViewBuilder content: () -> Content
    ) {
        service.addDevice(userAgent: "BoxScore/1.0 (iPad16,3; iOS 18.2) gatehouse-swift/0.2")
        _manager = State(initialValue: service.makeManager())
        browser = ScriptedProviderSheet(.signsIn(.ada))
        self.prepare = prepare
        self.content = content()
    }

    var body: some View {
        Group {
            if isReady { content } else { ProgressView() }
        }
        .gatehouse(manager, branding: .boxScore, browser: browser)
        .task {
            await manager.wait { $0.phase != .restoring && !$0.isLoading }
            // Ignored: some previews show a failed call; the screen reports it.
            try? await prepare(manager, browser)
            isReady = true
        }
    }
}

/// A service of a server that offers these providers and nothing else.
@MainActor private func offering(_ providers: [AuthProvider], email: Bool = true) -> InMemoryAuthService {
    let service = InMemoryAuthService()
    service.serverSettings = AuthServerSettings(providers: providers, allowsEmail: email)
    return service
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

#Preview("Login, no Google") { AccountPreview(offering([.apple])) { LoginView() } }

#Preview("Login, other providers") { AccountPreview(offering(["github", "azure"], email: false)) { LoginView() } }

#Preview("Login, store locked") { LoginView().gatehouse(service(.storeLocked, at: nil).makeManager()) }

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
        try await manager.linking.startOver()
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
        try await manager.identities.link(.google, in: google)
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
#endif
