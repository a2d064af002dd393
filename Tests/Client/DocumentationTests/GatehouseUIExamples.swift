// Written by Scripts/documentation/make-examples: the examples of GatehouseUI's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/GatehouseUI/AccountSheet.swift
private struct Example1 {
    struct AccountRow: View {
        @State private var showsAccount = false

        var body: some View {
            Button("Account") { showsAccount = true }
                .accountSheet(isPresented: $showsAccount)
        }
    }
}

// Sources/Client/GatehouseUI/AccountSheet.swift
private struct Example2 {
    struct JoinButton: View {
        let account: AuthManager
        @State private var joins = false

        var body: some View {
            Button("Join") { joins = true }
                .sheet(isPresented: $joins) { SignInView(account: account).accountQuestions() }
                .onChange(of: account.isLoggedIn) { joins = false }
        }
    }
}

// Sources/Client/GatehouseUI/Branding.swift
extension Given {
    @MainActor private func example3() async throws {
        let branding = Branding(
            name: "DailyRitual", symbol: "book.closed.fill", tagline: "Sign in to keep your journal", bundle: .main,
            accent: .indigo)
        _ = HomeView().gatehouse(manager, branding: branding)
        _ = branding
    }
}

// Sources/Client/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example4() async throws {
        _ = HomeView()
            .loginHeader { Label("Keep your days", systemImage: "book.fill") }
    }
}

// Sources/Client/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example5() async throws {
        _ = HomeView()
            .loginFooter { Link("Terms of Use", destination: terms) }
    }
}

// Sources/Client/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example6() async throws {
        _ = HomeView()
            .profileSections { user in
                Section { NavigationLink("My Journal") { Journal(of: user.id) } }
            }
    }
}

// Sources/Client/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example7() async throws {
        _ = HomeView()
            .emailSignIn(.code)
    }
}

// Sources/Client/GatehouseUI/Parts.swift
extension Given {
    @MainActor private func example8() async throws {
        _ = HomeView()
            .passkeySignIn(.first)
    }
}

// Sources/Client/GatehouseUI/ProfileButton.swift
private struct Example9 {
    struct JournalHome: View {
        var body: some View {
            NavigationStack { Text("Today").toolbar { ProfileButton() } }
        }
    }
}

// Sources/Client/GatehouseUI/ScreenEnvironment.swift
extension Given {
    @MainActor private func example10() async throws {
        _ = HomeView().gatehouse(account)
    }
}

// Sources/Client/GatehouseUI/SignIn/LoginView.swift
extension Given {
    @MainActor private func example11() async throws {
        if account.isLoggedIn { rows } else { LoginView(isDismissible: false) }
    }
}

// Sources/Client/GatehouseUI/SignIn/ReportButton.swift
extension Given {
    @MainActor private func example12() async throws {
        _ = HomeView()
            .authReport { report in support.open(attaching: report.text) }
    }
}

// Sources/Client/GatehouseUI/Theme.swift
extension Given {
    @MainActor private func example13() async throws {
        let theme = Theme(design: .rounded, buttonShape: .capsule, logo: Image("Logo"))
        let branding = Branding(name: "DailyRitual", accent: .indigo, theme: theme)
        _ = theme
        _ = branding
    }
}

// Sources/Client/GatehouseUI/GatehouseUI.docc/GatehouseUI.md
private struct Example14 {
    struct JournalApp: App {
        @State private var account = AuthManager(
            url: "https://accounts.example.com", publishableKey: "sb_publishable_…")

        var body: some Scene { WindowGroup { JournalHome().gatehouse(account) } }
    }

    struct JournalHome: View {
        var body: some View {
            NavigationStack { Text("Today").toolbar { ProfileButton() } }
        }
    }
}

// Sources/Client/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor private func example15() async throws {
        _ = HomeView().gatehouse(account, branding: Branding(name: "Journal", symbol: "book.fill", accent: .indigo))
    }
}

// Sources/Client/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor private func example16() async throws {
        let theme = Theme(
            titleFont: "Didot-Bold", bodyFont: "Avenir-Book", buttonFont: "Avenir-Medium", buttonShape: .capsule,
            logo: Image("Logo"))
        _ = HomeView().gatehouse(account, branding: Branding(name: "Journal", accent: .indigo, theme: theme))
        _ = theme
    }
}

// Sources/Client/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor private func example17() async throws {
        _ = HomeView()
            .authReport { report in support.open(attaching: report.text) }
            .gatehouse(account)
    }
}

// Sources/Client/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor private func example18() async throws {
        _ = HomeView()
            .loginHeader { Text("Keep your days").font(.title) }
            .loginFooter { Link("Terms of Use", destination: terms) }
            .profileSections { user in
                Section("Journal") { NavigationLink("Reminders") { RemindersView() } }
            }
            .profileButtonLabel { user in Image(systemName: user == nil ? "person" : "person.fill") }
            .gatehouse(account)
    }
}

// Sources/Client/GatehouseUI/GatehouseUI.docc/OwnScreens.md
extension Given {
    @MainActor private func example19() async throws {
        _ = HomeView()
            .emailSignIn(.code)
            .gatehouse(account)
    }
}
