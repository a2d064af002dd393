// Written by Scripts/documentation/make-examples: the examples of Gatehouse's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/Gatehouse/Accounts/GatehouseClient+Accounts.swift
extension Given {
    @MainActor private func example1() async throws {
        for account in try await client.accounts where account.state == .signedIn {
            try await client.use(account: account.id)
        }
    }
}

// Sources/Client/Gatehouse/AuthClientError.swift
extension Given {
    @MainActor private func example2() async throws {
        do {
            try await client.signIn(email: email, password: password)
        } catch AuthClientError.refused(let refusal) where refusal.code == .invalidCredentials {
            message = "Incorrect email or password."
        }
    }
}

// Sources/Client/Gatehouse/AuthServerSettings.swift
extension Given {
    @MainActor private func example3() async throws {
        let settings = try await client.settings()
        showsGoogle = settings.providers.contains(.google)
        showsForgotPassword = settings.allowsEmail && settings.sendsMail != false
        _ = settings
    }
}

// Sources/Client/Gatehouse/Factors/AuthFactors.swift
extension Given {
    @MainActor private func example4() async throws {
        let factor = try await client.mfa.enroll(params: .totp(issuer: "Journal"))
        show(factor.totp?.qrCode)
        try await client.mfa.challengeAndVerify(params: FactorChallengeAndVerifyParams(factorId: factor.id, code: code))
        _ = factor
    }
}

// Sources/Client/Gatehouse/Factors/AuthFactors.swift
extension Given {
    @MainActor private func example5() async throws {
        let set = try await client.mfa.recoveryCodes.generate()
        show(set.codes)
        _ = set
    }
}

// Sources/Client/Gatehouse/Factors/FactorTypes.swift
extension Given {
    @MainActor private func example6() async throws {
        let factor = try await client.mfa.enroll(params: .totp(issuer: "Journal", friendlyName: "My phone"))
        _ = factor
    }
}

// Sources/Client/Gatehouse/GatehouseAdmin.swift
extension Given {
    @MainActor private func example7() async throws {
        let client = try GatehouseClient(url: url, publishableKey: secretKey, storage: MemoryStorage())
        let user = try await client.admin.createUser(
            attributes: AuthAdminUserAttributes(email: "ada@example.com", emailConfirm: true))
        let page = try await client.admin.listUsers(page: 1, perPage: 100)
        _ = client
        _ = user
        _ = page
    }
}

// Sources/Client/Gatehouse/GatehouseClient+Linking.swift
extension Given {
    @MainActor private func example8() async throws {
        do {
            try await client.signInWithIdToken(credentials: credentials)
        } catch let error as AuthClientError {
            guard let question = error.linkQuestion else { throw error }
            try await client.confirmLink(question.ticket, email: question.email, password: password)
        }
    }
}

// Sources/Client/Gatehouse/GatehouseClient+Linking.swift
extension Given {
    @MainActor private func example9() async throws {
        try await client.sendLinkCode(for: question.ticket)
        // The user reads the code in the mail.
        try await client.confirmLink(question.ticket, code: code)
    }
}

// Sources/Client/Gatehouse/GatehouseClient+OneTimeCodes.swift
extension Given {
    @MainActor private func example10() async throws {
        try await client.signInWithOTP(email: email)
        // The user reads the code in the mail.
        let response = try await client.verifyOTP(email: email, token: code, type: .email)
        let session = response.session
        _ = response
        _ = session
    }
}

// Sources/Client/Gatehouse/GatehouseClient+OneTimeCodes.swift
extension Given {
    @MainActor private func example11() async throws {
        do {
            try await client.signIn(email: email, password: password)
        } catch let error as AuthClientError where error.code == .credentialSetAside {
            // The user reads the code in the mail.
            try await client.verifyOTP(email: email, token: code, type: .email, password: password)
        }
    }
}

// Sources/Client/Gatehouse/GatehouseClient+Phone.swift
extension Given {
    @MainActor private func example12() async throws {
        try await client.signInWithOTP(phone: "+491701234567")
        try await client.verifyOTP(phone: "+491701234567", token: code, type: .sms)
    }
}

// Sources/Client/Gatehouse/GatehouseClient+SignIn.swift
extension Given {
    @MainActor private func example13() async throws {
        let start = try await client.getOAuthSignInURL(provider: .google, redirectTo: redirectTo)
        openURL(start)
        // Later, in `onOpenURL`:
        let session = try await client.session(from: url)
        _ = start
        _ = session
    }
}

// Sources/Client/Gatehouse/GatehouseClient.swift
extension Given {
    @MainActor private func example14() async throws {
        let storage = SystemStorage.make(name: "com.example.app", environment: ProcessInfo.processInfo.environment)
        let client = try GatehouseClient(url: url, publishableKey: publishableKey, storage: storage)
        try await client.signIn(email: email, password: password)
        let accessToken = try await client.session.accessToken
        for await (event, session) in client.authStateChanges {
            show(event, session?.user)
        }
        _ = storage
        _ = client
        _ = accessToken
    }
}

// Sources/Client/Gatehouse/Gateway/GatewayClient+Routes.swift
extension Given {
    @MainActor private func example15() async throws {
        let scores = try await gateway.send(.get, "/v1/scores", needsToken: false)
        _ = scores
    }
}

// Sources/Client/Gatehouse/Gateway/GatewayClient.swift
extension Given {
    @MainActor private func example16() async throws {
        let gateway = try GatewayClient(url: url, tokens: GatewayTokens(client))
        do {
            let account = try await gateway.updateProfile(ProfileChange(firstName: "Ada"))
            greet(account.profile?.firstName)
        } catch AuthClientError.signedOut {
            showsLogin = true
        }
        _ = gateway
    }
}

// Sources/Client/Gatehouse/Gateway/ProfileChange.swift
extension Given {
    @MainActor private func example17() async throws {
        try await manager.updateProfile(firstName: "Ada")
        try await manager.updateProfile(firstName: .clear)
    }
}

// Sources/Client/Gatehouse/Gateway/ProfileChange.swift
extension Given {
    @MainActor private func example18() async throws {
        let change = ProfileChange(data: ["mood": "calm", "goal": .null])  // sets the mood, removes the goal
        _ = change
    }
}

// Sources/Client/Gatehouse/HTTPCall.swift
extension Given {
    @MainActor private func example19() async throws {
        let transport = SystemDefaults.transport()
        let logged: HTTPTransport = { call in
            let reply = try await transport(call)
            logger.debug("\(call) \(reply)")
            return reply
        }
        _ = transport
        _ = logged
    }
}

// Sources/Client/Gatehouse/Passkeys/GatehouseClient+PasskeySignUp.swift
extension Given {
    @MainActor private func example20() async throws {
        try await client.signUpWithPasskey(email: email, with: authenticator)
    }
}

// Sources/Client/Gatehouse/Passkeys/GatehouseClient+PasskeySignUp.swift
extension Given {
    @MainActor private func example21() async throws {
        do {
            let signUp = try await client.passkeySignUp(inSheetOf: authenticator)
            try await client.signUp(with: signUp, telling: authenticator)
        } catch PasskeyAccountProblem.unavailable {
            try await client.signUpWithPasskey(email: email, with: authenticator)
        }
    }
}

// Sources/Client/Gatehouse/Passkeys/GatehouseClient+Passkeys.swift
extension Given {
    @MainActor private func example22() async throws {
        do {
            try await client.signInWithPasskey(with: authenticator)
        } catch AuthClientError.cancelled, AuthClientError.noPasskey {
            return
        }
    }
}

// Sources/Client/Gatehouse/Passkeys/GatehouseClient+Passkeys.swift
extension Given {
    @MainActor private func example23() async throws {
        let passkey = try await client.registerPasskey(with: authenticator)
        try await client.renamePasskey(id: passkey.id, friendlyName: "My phone")
        _ = passkey
    }
}

// Sources/Client/Gatehouse/Reachability.swift
extension Given {
    @MainActor private func example24() async throws {
        let offline = Reachability(isOffline: { true }, changes: { AsyncStream { $0.yield(true) } })
        _ = offline
    }
}

// Sources/Client/Gatehouse/SessionOrUser.swift
extension Given {
    @MainActor private func example25() async throws {
        let nonce = SignInNonce()  // of GatehouseModel; the sheet's request gets `nonce.hashed`
        let credentials = IDTokenCredentials(provider: .apple, idToken: idToken, nonce: nonce.raw)
        try await client.signInWithIdToken(credentials: credentials)
        _ = nonce
        _ = credentials
    }
}

// Sources/Client/Gatehouse/Storage/SecureStorage.swift
extension Given {
    @MainActor private func example26() async throws {
        let locked = StoreProblem("keychain -25308", cause: .locked)
        let unknown: StoreProblem = "the disk has an error"
        _ = locked
        _ = unknown
    }
}

// Sources/Client/Gatehouse/Storage/SecureStorage.swift
private struct Example27 {
    actor DictionaryStorage: SecureStorage {
        private var values: [String: [UInt8]] = [:]
        func read(_ key: String) -> StoredValue { values[key].map(StoredValue.value) ?? .absent }
        func write(_ bytes: [UInt8], for key: String) { values[key] = bytes }
        func remove(_ key: String) { values[key] = nil }
    }
}

// Sources/Client/Gatehouse/Storage/SystemStorage.swift
extension Given {
    @MainActor private func example28() async throws {
        let environment = ProcessInfo.processInfo.environment
        let storage = SystemStorage.make(name: "com.example.app", environment: environment)
        _ = environment
        _ = storage
    }
}

// Sources/Client/Gatehouse/Web/GatehouseClient+WebSignIn.swift
extension Given {
    @MainActor private func example29() async throws {
        try await client.signInWithOAuth(provider: .google, redirectTo: redirectTo) { url in
            try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
        }
    }
}

// Sources/Client/Gatehouse/Web/GatehouseClient+WebSignIn.swift
extension Given {
    @MainActor private func example30() async throws {
        let browser = LoopbackWebAuthentication()
        do {
            try await client.signInWithOAuth(provider: .google, in: browser)
        } catch AuthClientError.cancelled, AuthClientError.timedOut {
            return
        }
        _ = browser
    }
}

// Sources/Client/Gatehouse/Web/GatehouseClient+WebSignIn.swift
extension Given {
    @MainActor private func example31() async throws {
        do {
            try await client.linkIdentity(provider: .google, in: LoopbackWebAuthentication())
        } catch let error as AuthClientError where error.code == .identityAlreadyExists {
            message = "This Google account already belongs to an account."
        }
    }
}

// Sources/Client/GatehouseWire/Auth/AuthErrorCode.swift
extension Given {
    @MainActor private func example32() async throws {
        switch error.code {
        case .invalidCredentials?: message = "Incorrect email or password."
        case .overRequestRateLimit?: message = "Too many attempts."
        default: message = "Something went wrong."
        }
    }
}

// Sources/Client/GatehouseWire/Auth/DeviceName.swift
extension Given {
    @MainActor private func example33() async throws {
        let device = DeviceName(userAgent: "Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.3")
        title.text = device?.name  // iPhone
        subtitle.text = device?.details  // Journal · iOS 18.2
        _ = device
    }
}

// Sources/Client/GatehouseWire/JSON/AuthJSON.swift
extension Given {
    @MainActor private func example34() async throws {
        let data: AuthJSONObject = ["first_name": "Ada", "languages": ["en", "ja"], "newsletter": true]
        let name = session.user.userMetadata["first_name"]?.stringValue
        _ = data
        _ = name
    }
}

// Sources/Client/GatehouseWire/JSON/JSONObject+Codable.swift
extension Given {
    @MainActor private func example35() async throws {
        struct Journal: Codable { var mood: String? }
        let journal = try user.data.decoded(as: Journal.self)
        _ = journal
    }
}

// Sources/Client/GatehouseWire/JSON/JSONObject+MergePatch.swift
extension Given {
    @MainActor private func example36() async throws {
        var data: AuthJSONObject = ["mood": "calm", "goals": ["steps": 8_000]]
        data.apply(mergePatch: ["mood": .null, "goals": ["sleep": 8]])
        // {"goals":{"sleep":8,"steps":8000}}
        _ = data
    }
}

// Sources/Client/Gatehouse/Gatehouse.docc/Gatehouse.md
extension Given {
    @MainActor private func example37() async throws {
        let storage = SystemStorage.make(
            name: "com.example.journal", environment: ProcessInfo.processInfo.environment)
        let client = try GatehouseClient(url: url, publishableKey: "sb_publishable_…", storage: storage)
        try await client.signIn(email: "ada@example.com", password: password)
        let token = try await client.session.accessToken
        _ = storage
        _ = client
        _ = token
    }
}
