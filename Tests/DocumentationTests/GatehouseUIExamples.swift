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
