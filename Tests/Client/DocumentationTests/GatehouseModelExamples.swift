// Written by Scripts/documentation/make-examples: the examples of GatehouseModel's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/GatehouseModel/AuthError.swift
extension Given {
    @MainActor private func example1() async throws {
        do {
            try await manager.signInWithEmail(email, password: password)
        } catch .emailNotConfirmed {
            showsMailHint = true
        } catch {
            message = SignInMessage(.email, error)
        }
    }
}

// Sources/Client/GatehouseModel/AuthPhase.swift
extension Given {
    @MainActor @ViewBuilder private func example2() -> some View {
        switch account.phase {
        case .restoring: ProgressView()
        case .unauthenticated, .authenticating, .secondFactorNeeded: Text("Sign in to keep your journal")
        case .authenticated, .refreshing: Text("Hello, \(account.user?.firstName ?? "you")!")
        }
    }
}

// Sources/Client/GatehouseModel/AuthenticatedUser.swift
extension Given {
    @MainActor private func example3() async throws {
        struct Journal: Codable { var mood: String? }
        let mood = try user.data(as: Journal.self).mood
        _ = mood
    }
}

// Sources/Client/GatehouseModel/Forms/CodeModel.swift
extension Given {
    @MainActor private func example4() async throws {
        let screen = CodeModel(.signIn, email: "ada@example.com", manager: account)
        screen.code = "042917"
        await screen.submit()?.value
        message = screen.message
        _ = screen
    }
}

// Sources/Client/GatehouseModel/Forms/LoginModel.swift
extension Given {
    @MainActor private func example5() async throws {
        let login = LoginModel(manager: account)
        login.form.email = "ada@example.com"
        await login.submit(password: password)?.value
        message = login.message
        _ = login
    }
}

// Sources/Client/GatehouseModel/Forms/PhoneForm.swift
extension Given {
    @MainActor private func example6() async throws {
        var form = PhoneForm(region: "DE")
        form.typed = "0170 123 45 67"
        let number = form.number  // +491701234567
        _ = form
        _ = number
    }
}

// Sources/Client/GatehouseModel/Forms/PhoneModel.swift
extension Given {
    @MainActor private func example7() async throws {
        let screen = PhoneModel(.signIn, manager: account)
        screen.form.typed = "0170 123 45 67"
        await screen.send()?.value
        screen.code?.code = "042917"
        _ = screen
    }
}

// Sources/Client/GatehouseModel/Manager/AppBrowser.swift
extension Given {
    @MainActor private func example8() async throws {
        let page = AppBrowser(redirectTo: redirectTo) { url in
            try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
        }
        try await account.signInWithGoogle(in: page)
        _ = page
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Accounts.swift
extension Given {
    @MainActor private func example9() async throws {
        if let other = account.accounts.first(where: { $0.state == .signedIn }) {
            try await account.use(other.id)
        }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Codes.swift
extension Given {
    @MainActor private func example10() async throws {
        do throws(AuthError) {
            try await account.signInWithEmail(email, password: password)
        } catch .credentialSetAside {
            // The user reads the code in the mail.
            try await account.signIn(withCode: code, sentTo: email, password: password)
        }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Linking.swift
extension Given {
    @MainActor private func example11() async throws {
        if let question = manager.linkQuestion, question.signInMethods.contains("password") {
            try await manager.linking.confirm(.password(password))
        }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Linking.swift
extension Given {
    @MainActor private func example12() async throws {
        try await manager.linking.sendCode()
        // The user reads the code in the mail.
        try await manager.linking.confirm(.code(code))
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Mail.swift
extension Given {
    @MainActor private func example13() async throws {
        try await account.mail.sendSignIn(to: email)
        // The user reads the code in the mail.
        try await account.signIn(withCode: code, sentTo: email)
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+PasskeySignUp.swift
extension Given {
    @MainActor private func example14() async throws {
        if try await account.signUpWithPasskey(with: passkeys) == .formNeeded {
            try await account.signUpWithPasskey(email, firstName: nil, with: passkeys)
        }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Phone.swift
extension Given {
    @MainActor private func example15() async throws {
        try await account.texts.sendSignIn(to: "+491701234567")
        // The user reads the code in the message.
        try await account.signIn(withCode: code, textedTo: "+491701234567")
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Profile.swift
extension Given {
    @MainActor private func example16() async throws {
        List { rows }.refreshable { await manager.refreshProfile() }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Profile.swift
extension Given {
    @MainActor private func example17() async throws {
        try await manager.updateProfile(data: ["mood": "calm", "goal": .null])  // sets the mood, removes the goal
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Profile.swift
extension Given {
    @MainActor private func example18() async throws {
        struct Journal: Codable { var mood: String? }
        try await manager.updateProfile(data: Journal(mood: "calm"))
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Profile.swift
extension Given {
    @MainActor private func example19() async throws {
        do {
            try await account.deleteAccount()
        } catch .freshSignInNeeded {
            showsLogin = true
        } catch {
            message = error.localizedDescription
        }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Proofs.swift
extension Given {
    @MainActor private func example20() async throws {
        if case .app(let app)? = account.secondFactor?.methods.first {
            try await account.proofs.prove(code: code, of: app.id)
        }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Setup.swift
private struct Example21 {
    struct JournalApp: App {
        @State private var account = AuthManager(
            url: "https://accounts.example.com", publishableKey: "sb_publishable_…")
        var body: some Scene { WindowGroup { HomeView().gatehouse(account) } }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+SignIn.swift
extension Given {
    @MainActor private func example22() async throws {
        let outcome = try await manager.signInWithApple {
            AppleCredential(idToken: idToken, nonce: nonce.raw, person: credential.user, firstName: givenName)
        }
        _ = outcome
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+SignIn.swift
extension Given {
    @MainActor private func example23() async throws {
        try await account.signInWithPasskey(with: passkeys)
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager+Switching.swift
extension Given {
    @MainActor private func example24() async throws {
        try await account.switchAccount { account throws(AuthError) in
            try await account.signInWithEmail(email, password: password)
        }
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager.swift
extension Given {
    @MainActor private func example25() async throws {
        let account = AuthManager(url: "https://accounts.example.com", publishableKey: "sb_publishable_…")
        do {
            let outcome = try await account.signInWithEmail("ada@example.com", password: password)
            showsMailHint = outcome == .checkMail
        } catch {
            message = SignInMessage(.email, error)?.localized
        }
        _ = account
    }
}

// Sources/Client/GatehouseModel/Manager/AuthManager.swift
extension Given {
    @MainActor private func example26() async throws {
        var request = URLRequest(url: url)
        request.setValue("Bearer \(try await manager.accessToken())", forHTTPHeaderField: "Authorization")
        _ = request
    }
}

// Sources/Client/GatehouseModel/Messages/ModelText.swift
extension Given {
    @MainActor private func example27() async throws {
        let text = AuthError.wrongCredentials.content.localized
        let title = ModelText("Sign in with %@", "Google").localized
        _ = text
        _ = title
    }
}

// Sources/Client/GatehouseModel/Messages/SignInMessage.swift
extension Given {
    @MainActor private func example28() async throws {
        do {
            try await manager.signInWithGoogle(in: browser)
        } catch {
            message = SignInMessage(.google, error)
        }
    }
}

// Sources/Client/GatehouseModel/MetadataProfile.swift
extension Given {
    @MainActor private func example29() async throws {
        let account = AuthManager(
            url: "https://abcd.supabase.co", publishableKey: "sb_publishable_…",
            profile: { MetadataProfile(client: $0) { try await deleteThroughMyEdgeFunction() } })
        _ = account
    }
}

// Sources/Client/GatehouseModel/Report/AuthReport.swift
extension Given {
    @MainActor private func example30() async throws {
        if let report = account.report {
            ShareLink(item: report.text) { Text("Send Report") }
        }
    }
}

// Sources/Client/GatehouseModel/Security/ProofModel.swift
extension Given {
    @MainActor private func example31() async throws {
        if let question = account.secondFactor {
            ProofScreen(model: ProofModel(question: question, manager: account))
        }
    }
}

// Sources/Client/GatehouseModel/SignInMemory.swift
extension Given {
    @MainActor private func example32() async throws {
        @Sendable func shared() -> UserDefaults? { UserDefaults(suiteName: "group.com.example.journal") }
        let memory = SignInMemory(
            read: { shared()?.string(forKey: "last-sign-in") }, keep: { shared()?.set($0, forKey: "last-sign-in") },
            hasOfferedPasskey: { shared()?.bool(forKey: "passkey-offer") ?? false },
            keepPasskeyOffer: { shared()?.set(true, forKey: "passkey-offer") })
        _ = memory
    }
}

// Sources/Client/GatehouseModel/SignInNonce.swift
extension Given {
    @MainActor private func example33() async throws {
        let nonce = SignInNonce()
        request.nonce = nonce.hashed
        // After the sheet:
        let credentials = IDTokenCredentials(provider: .apple, idToken: idToken, nonce: nonce.raw)
        _ = nonce
        _ = credentials
    }
}

// Sources/Client/GatehouseModel/Telemetry/HTTPSink.swift
extension Given {
    @MainActor private func example34() async throws {
        let sink = HTTPSink(url: url, app: "journal", transport: SystemDefaults.transport())
        let manager = AuthManager(service: service, storage: storage, telemetry: [sink])
        _ = sink
        _ = manager
    }
}

// Sources/Client/GatehouseModel/GatehouseModel.docc/GatehouseModel.md
extension Given {
    @MainActor private func example35() async throws {
        let account = AuthManager(url: "https://accounts.example.com", publishableKey: "sb_publishable_…")
        _ = account
    }
}
