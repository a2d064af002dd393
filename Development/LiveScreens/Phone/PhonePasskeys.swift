import Foundation
import Gatehouse
import GatehouseWire
import SoftAuthenticator
import SwiftUI

/// A software authenticator with its own sheet.
@MainActor final class PhonePasskeys: PasskeyAuthenticator {
    enum Question: Hashable, Sendable {
        case create(userName: String, domain: String)
        case choose([Known], domain: String)
        case account(domain: String)
    }

    struct Known: Hashable, Sendable, Identifiable {
        let id: [UInt8]
        let userName: String
    }

    enum Choice: Hashable, Sendable {
        case create
        /// nil for another device's passkey, which the phone does not have.
        case use([UInt8]?)
        case account(name: String, email: String)
        /// Without a passcode the phone cannot create passkeys.
        case noPasscode
        case apple
    }

    let sheet = OpenSheet<Question, Choice>(closed: AuthClientError.cancelled)
    private var authenticator = SoftAuthenticator()
    /// The same user's other device.
    private var otherDevice = SoftAuthenticator()
    /// The app's, in the client data.
    private let origin: String

    init(server: URL) {
        // A numeric address cannot be a passkey's domain (WebAuthn §5.1.2).
        origin = "http://localhost" + (server.port.map { ":\($0)" } ?? "")
        // AAGUID of Apple's password manager, so that the list names it.
        authenticator.aaguid = [
            0xFB, 0xFC, 0x30, 0x07, 0x15, 0x4E, 0x4E, 0xCC, 0x8C, 0x0B, 0x6E, 0x02, 0x05, 0x57, 0xD7, 0xBD,
        ]
    }

    func create(_ options: AuthPasskeyRegistrationOptions, style: PasskeyCreationStyle) async throws -> AuthJSON {
        // The phone has no password manager that fills in passwords.
        guard style == .sheet else { throw AuthClientError.cancelled }
        let answer = try await sheet.ask(.create(userName: options.userName, domain: options.relyingPartyID))
        guard answer == .create else { throw AuthClientError.cancelled }
        return try perform { try authenticator.create(options.options, origin: origin) }
    }

    nonisolated var hasAccountSheet: Bool { true }

    func createAccount(_ options: AuthPasskeyRegistrationOptions) async throws -> PasskeyAccount {
        switch try await sheet.ask(.account(domain: options.relyingPartyID)) {
        case .account(let name, let email):
            // The system names the passkey after the address.
            var members = options.options.objectValue ?? [:]
            var user = members["user"]?.objectValue ?? [:]
            user["name"] = .string(email)
            members["user"] = .object(user)
            let credential = try perform { try authenticator.create(.object(members), origin: origin) }
            return PasskeyAccount(credential: credential, email: email, name: AppleName(given: name))
        case .noPasscode: throw PasskeyAccountProblem.unavailable
        case .apple: throw PasskeyAccountProblem.prefersApple
        case .create, .use: throw AuthClientError.cancelled
        }
    }

    func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) async throws -> AuthJSON {
        let known = known(at: options.relyingPartyID)
        // The phone's keyboard is the browser's, which has no bar for passkeys.
        guard style != .autoFill, style == .sheet || !known.isEmpty else { throw AuthClientError.noPasskey }
        let answer = try await sheet.ask(.choose(known, domain: options.relyingPartyID))
        switch answer {
        case .create, .account, .noPasscode, .apple: throw AuthClientError.cancelled
        case .use(let id?): return try perform { try authenticator.get(options.options, origin: origin, id: id) }
        // A key that the server has never seen.
        case .use(nil): return try perform { try foreign(options) }
        }
    }

    func signal(_ signal: PasskeySignal) async {}

    private func known(at domain: String) -> [Known] {
        authenticator.credentials.filter { $0.relyingPartyID == domain }
            .map { Known(id: $0.id, userName: $0.userName) }
    }

    private func foreign(_ options: AuthPasskeyAuthenticationOptions) throws -> AuthJSON {
        if otherDevice.credentials.isEmpty {
            _ = try otherDevice.create(
                [
                    "challenge": .string(Base64URL.text(options.challenge)),
                    "rp": ["id": .string(options.relyingPartyID)],
                    "user": ["id": .string(Base64URL.text(Array("nobody".utf8))), "name": "another device"],
                    "pubKeyCredParams": [["type": "public-key", "alg": -7]],
                ], origin: origin)
        }
        return try otherDevice.get(options.options, origin: origin)
    }

    private func perform(_ work: () throws -> AuthJSON) throws -> AuthJSON {
        do {
            return try work()
        } catch SoftAuthenticatorProblem.alreadyRegistered {
            throw AuthClientError.passkeyExists
        } catch SoftAuthenticatorProblem.noCredential {
            throw AuthClientError.noPasskey
        } catch {
            throw AuthClientError.passkeyFailed("\(error)")
        }
    }
}

/// In English, like the simulated providers' pages.
struct PasskeySheet: View {
    let passkeys: PhonePasskeys
    @State private var name = ""
    @State private var email = ""

    var body: some View {
        NavigationStack {
            List {
                switch passkeys.sheet.question {
                case .create(let userName, let domain): creation(userName, domain)
                case .choose(let known, let domain): choice(known, domain)
                case .account(let domain): account(domain)
                case nil: EmptyView()
                }
                Section {
                    Button(role: .destructive) {
                        passkeys.sheet.end(.failure(AuthClientError.passkeyFailed("the simulated phone")))
                    } label: {
                        Text(verbatim: "Let the sheet fail").frame(minHeight: 44)
                    }
                }
            }
            .navigationTitle(Text(verbatim: "Passkeys of this phone"))
            .navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button {
                        passkeys.sheet.isOpen = false
                    } label: {
                        Text(verbatim: "Cancel")
                    }
                }
            }
        }
    }

    private func creation(_ userName: String, _ domain: String) -> some View {
        Section {
            Text(verbatim: userName).font(.headline)
            Button {
                passkeys.sheet.end(.success(.create))
            } label: {
                Text(verbatim: "Create the passkey").frame(minHeight: 44)
            }
        } header: {
            Text(verbatim: "A passkey for \(domain)")
        }
    }

    private func account(_ domain: String) -> some View {
        Section {
            TextField(text: $name) { Text(verbatim: "Name") }
                .textContentType(.name)
                .frame(minHeight: 44)
            TextField(text: $email) { Text(verbatim: "Email address") }
                .textContentType(.emailAddress)
                .keyboardType(.emailAddress)
                .textInputAutocapitalization(.never)
                .autocorrectionDisabled()
                .frame(minHeight: 44)
            answer("Create the account", .account(name: name, email: email)).disabled(email.isEmpty)
            answer("Use Sign in with Apple instead", .apple)
            answer("This phone has no passcode", .noPasscode)
        } header: {
            Text(verbatim: "A new account for \(domain)")
        }
    }

    private func answer(_ title: String, _ choice: PhonePasskeys.Choice) -> some View {
        Button {
            passkeys.sheet.end(.success(choice))
        } label: {
            Text(verbatim: title).frame(minHeight: 44)
        }
    }

    private func choice(_ known: [PhonePasskeys.Known], _ domain: String) -> some View {
        Section {
            ForEach(known) { passkey in
                Button {
                    passkeys.sheet.end(.success(.use(passkey.id)))
                } label: {
                    Text(verbatim: passkey.userName).frame(minHeight: 44)
                }
            }
            if known.isEmpty { Text(verbatim: "This phone has none yet. Sign in another way, and add one.") }
            Button {
                passkeys.sheet.end(.success(.use(nil)))
            } label: {
                Text(verbatim: "Use another device").frame(minHeight: 44)
            }
        } header: {
            Text(verbatim: "Sign in to \(domain)")
        }
    }
}
