// Written by Scripts/documentation/make-examples: the examples of GatehouseDesktop's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/GatehouseDesktop/DesktopStorage.swift
extension Given {
    @MainActor private func example1() async throws {
        let environment = ProcessInfo.processInfo.environment
        let storage = DesktopStorage.make(name: "com.example.app", environment: environment) { notice in
            if case .usesFiles(let folder) = notice { print("Sessions are stored in \(folder).") }
        }
        _ = environment
        _ = storage
    }
}

// Sources/Client/GatehouseDesktop/GatehouseDesktop.docc/GatehouseDesktop.md
extension Given {
    @MainActor private func example2() async throws {
        let environment = ProcessInfo.processInfo.environment
        let storage = DesktopStorage.make(name: "com.example.journal", environment: environment)
        let client = try GatehouseClient(url: url, publishableKey: "sb_publishable_…", storage: storage)
        try await client.signInWithOAuth(provider: .google, in: LoopbackWebAuthentication())
        _ = environment
        _ = storage
        _ = client
    }
}
