// Written by Scripts/make-examples: the examples of GatehouseUI's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/GatehouseUI/AccountCalls.swift
extension Given {
    @MainActor private func example1() async throws {
        var calls = AccountCalls(client: client, redirectTo: redirectTo)
        calls.devices = nil  // no list of devices
        _ = HomeView().gatehouse(manager, googleRedirect: redirectTo, calls: calls)
        _ = calls
    }
}

// Sources/GatehouseUI/Branding.swift
extension Given {
    @MainActor private func example2() async throws {
        let branding = Branding(
            name: "DailyRitual", symbol: "book.closed.fill", tagline: "Sign in to keep your journal", bundle: .main,
            accent: .indigo)
        _ = HomeView().gatehouse(manager, branding: branding, googleRedirect: redirectTo)
        _ = branding
    }
}

// Sources/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example3() async throws {
        _ = HomeView()
            .loginHeader { Label("Keep your days", systemImage: "book.fill") }
    }
}

// Sources/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example4() async throws {
        _ = HomeView()
            .loginFooter { Link("Terms of Use", destination: terms) }
    }
}

// Sources/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example5() async throws {
        _ = HomeView()
            .profileSections { user in
                Section { NavigationLink("My Journal") { Journal(of: user.id) } }
            }
    }
}

// Sources/GatehouseUI/ScreenEnvironment.swift
extension Given {
    @MainActor private func example6() async throws {
        _ = HomeView()
            .accountSheet(isPresented: $showsAccount)
            .gatehouse(
                manager, googleRedirect: redirectTo,
                calls: AccountCalls(client: client, redirectTo: redirectTo))
    }
}

// Sources/GatehouseUI/GatehouseUI.docc/GatehouseUI.md
private struct Example7 {
    struct JournalView: View {
        let account: AuthManager
        let client: AuthClient
        @State private var showsAccount = false

        var body: some View {
            NavigationStack {
                Text("My days")
                    .toolbar { ProfileButton { showsAccount = true } }
            }
            .accountSheet(isPresented: $showsAccount)
            .gatehouse(
                account, googleRedirect: redirectTo, calls: AccountCalls(client: client, redirectTo: redirectTo))
        }
    }
}

// Sources/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor private func example8() async throws {
        _ = HomeView().gatehouse(
            account, branding: Branding(name: "Journal", symbol: "book.fill", accent: .indigo),
            googleRedirect: redirectTo)
    }
}

// Sources/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor private func example9() async throws {
        _ = HomeView()
            .loginHeader { Text("Keep your days").font(.title) }
            .loginFooter { Link("Terms of Use", destination: terms) }
            .profileSections { user in
                Section("Journal") { NavigationLink("Reminders") { RemindersView() } }
            }
            .profileButtonLabel { user in Image(systemName: user == nil ? "person" : "person.fill") }
            .gatehouse(account, googleRedirect: redirectTo)
    }
}

// Sources/GatehouseUI/GatehouseUI.docc/OwnScreens.md
private struct Example10 {
    struct SignInView: View {
        @State private var screen: LoginModel
        @State private var password = ""

        init(account: AuthManager) { _screen = State(initialValue: LoginModel(manager: account)) }

        var body: some View {
            Form {
                TextField("Email", text: $screen.form.email).textContentType(.username)
                SecureField("Password", text: $password).textContentType(.password)
                if let message = screen.message { Text(message.text) }
                Button("Sign In") { Task { await screen.submit(password: password) } }
                    .disabled(!screen.canSubmit(password: password))
            }
        }
    }
}

// Sources/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor @ViewBuilder private func example11() -> some View {
        switch account.phase {
        case .restoring: ProgressView()
        case .unauthenticated, .authenticating: SignInView(account: account)
        case .authenticated, .refreshing: JournalView()
        }
    }
}
