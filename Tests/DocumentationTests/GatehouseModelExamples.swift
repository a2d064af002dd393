// Written by Scripts/make-examples: the examples of GatehouseModel's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/GatehouseModel/AuthManager+LinkQuestion.swift
extension Given {
    @MainActor private func example1() async throws {
        if let question = manager.linkQuestion, question.signInMethods.contains("password") {
            try await manager.confirmLink(password: password)
        }
    }
}

// Sources/GatehouseModel/AuthManager+SignIn.swift
extension Given {
    @MainActor private func example2() async throws {
        let outcome = try await manager.signInWithApple {
            AppleCredential(idToken: idToken, nonce: nonce.raw, person: credential.user, firstName: givenName)
        }
        _ = outcome
    }
}

// Sources/GatehouseModel/AuthManager.swift
extension Given {
    @MainActor private func example3() async throws {
        let manager = AuthManager(service: LiveAuthService(client: client, gateway: gateway), storage: storage)
        do {
            let outcome = try await manager.signInWithEmail("ada@example.com", password: password)
            showsMailHint = outcome == .checkMail
        } catch {
            message = SignInMessage(.email, error)?.text
        }
        _ = manager
    }
}

// Sources/GatehouseModel/AuthManager.swift
extension Given {
    @MainActor private func example4() async throws {
        var request = URLRequest(url: url)
        request.setValue("Bearer \(try await manager.accessToken())", forHTTPHeaderField: "Authorization")
        _ = request
    }
}

// Sources/GatehouseModel/Messages/SignInMessage.swift
extension Given {
    @MainActor private func example5() async throws {
        do {
            try await manager.signInWithGoogle(in: browser)
        } catch {
            message = SignInMessage(.google, error)
        }
    }
}

// Sources/GatehouseModel/SignInNonce.swift
extension Given {
    @MainActor private func example6() async throws {
        let nonce = SignInNonce()
        request.nonce = nonce.hashed
        // After the sheet:
        let credentials = OpenIDConnectCredentials(provider: .apple, idToken: idToken, nonce: nonce.raw)
        _ = nonce
        _ = credentials
    }
}

// Sources/GatehouseModel/Telemetry/HTTPSink.swift
extension Given {
    @MainActor private func example7() async throws {
        let sink = HTTPSink(url: url, transport: SystemDefaults.transport())
        let manager = AuthManager(service: service, storage: storage, telemetry: [sink])
        Task { await sink.run() }
        _ = sink
        _ = manager
    }
}
