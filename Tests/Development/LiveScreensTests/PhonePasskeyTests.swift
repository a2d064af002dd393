import Foundation
import Gatehouse
import GatehouseWire
import Testing

@testable import LiveScreens

@MainActor @Suite("The phone's passkeys", .timeLimit(.minutes(5)))
struct PhonePasskeyTests {
    private static let id = "a1b2c3d4-0000-4000-8000-000000000002"

    private func creation(excluding ids: [[UInt8]] = []) throws -> AuthPasskeyRegistrationOptions {
        try AuthPasskeyRegistrationOptions(
            json: [
                "challenge_id": .string(Self.id), "expires_at": 1_767_226_200,
                "options": [
                    "rp": ["name": "Dev", "id": "localhost"], "user": ["name": "ada@example.com", "id": "MGY2ZA"],
                    "challenge": "AQID", "pubKeyCredParams": [["type": "public-key", "alg": -7]],
                    "excludeCredentials": .array(
                        ids.map { ["type": "public-key", "id": .string(Base64URL.text($0))] }),
                ],
            ])
    }

    private func request() throws -> AuthPasskeyAuthenticationOptions {
        try AuthPasskeyAuthenticationOptions(
            json: [
                "challenge_id": .string(Self.id), "expires_at": 1_767_226_200,
                "options": ["challenge": "BAUG", "rpId": "localhost"],
            ])
    }

    private func phone() throws -> PhonePasskeys {
        PhonePasskeys(server: try #require(URL(string: "http://127.0.0.1:54321")))
    }

    private func answering(
        _ phone: PhonePasskeys, with choice: Result<PhonePasskeys.Choice, any Error>,
        _ call: @escaping @MainActor () async throws -> AuthJSON
    ) async throws -> AuthJSON {
        let work = Task { try await call() }
        while phone.sheet.question == nil { await Task.yield() }
        phone.sheet.end(choice)
        return try await work.value
    }

    private func clientData(_ answer: AuthJSON) throws -> AuthJSON {
        let text = try #require(answer["response"]?["clientDataJSON"]?.stringValue)
        return try JSONReader.read(try #require(Base64URL.decode(text)))
    }

    @Test("The sheet for a new account returns name, address and a passkey named after it, or why there is none")
    func account() async throws {
        let (phone, creation) = (try phone(), try creation())
        func ask(_ choice: PhonePasskeys.Choice) async throws -> PasskeyAccount {
            let work = Task { try await phone.createAccount(creation) }
            while phone.sheet.question == nil { await Task.yield() }
            #expect(phone.sheet.question == .account(domain: "localhost"))
            phone.sheet.end(.success(choice))
            return try await work.value
        }
        #expect(phone.hasAccountSheet)
        let account = try await ask(.account(name: "Grace", email: "grace@example.com"))
        #expect(account.email == "grace@example.com" && account.name?.given == "Grace")
        await #expect(throws: PasskeyAccountProblem.unavailable) { try await ask(.noPasscode) }
        await #expect(throws: PasskeyAccountProblem.prefersApple) { try await ask(.apple) }
        let request = try request()
        let used = Task { try await phone.get(request, style: .sheet) }
        while phone.sheet.question == nil { await Task.yield() }
        guard case .choose(let known, _)? = phone.sheet.question else { throw CancellationError() }
        #expect(known.map(\.userName) == ["grace@example.com"])
        phone.sheet.end(.failure(AuthClientError.cancelled))
        await #expect(throws: AuthClientError.cancelled) { try await used.value }
    }

    @Test("A passkey is created and chosen, at the origin of the dev server by its name")
    func createAndUse() async throws {
        let phone = try phone()
        let creation = try creation()
        let made = try await answering(phone, with: .success(.create)) {
            try await phone.create(creation, style: .sheet)
        }
        #expect(try clientData(made)["origin"] == "http://localhost:54321")
        let id = try #require(made["id"]?.stringValue.flatMap { Base64URL.decode($0) })
        let request = try request()
        let work = Task { try await phone.get(request, style: .sheet) }
        while phone.sheet.question == nil { await Task.yield() }
        let known = [PhonePasskeys.Known(id: id, userName: "ada@example.com")]
        #expect(phone.sheet.question == .choose(known, domain: "localhost"))
        phone.sheet.end(.success(.use(id)))
        let answer = try await work.value
        #expect(try clientData(answer)["challenge"] == "BAUG" && answer["id"] == made["id"])
        let again = try self.creation(excluding: [id])
        await #expect(throws: AuthClientError.passkeyExists) {
            try await answering(phone, with: .success(.create)) { try await phone.create(again, style: .sheet) }
        }
    }

    @Test("The sheet can be closed, fail, or offer another device, whose key nobody knows")
    func otherEnds() async throws {
        let phone = try phone()
        let (creation, request) = (try creation(), try request())
        await #expect(throws: AuthClientError.cancelled) {
            try await answering(phone, with: .failure(AuthClientError.cancelled)) {
                try await phone.create(creation, style: .sheet)
            }
        }
        await #expect(throws: AuthClientError.passkeyFailed("the simulated phone")) {
            try await answering(phone, with: .failure(AuthClientError.passkeyFailed("the simulated phone"))) {
                try await phone.get(request, style: .sheet)
            }
        }
        let foreign = try await answering(phone, with: .success(.use(nil))) {
            try await phone.get(request, style: .sheet)
        }
        #expect(try clientData(foreign)["type"] == "webauthn.get")
    }

    @Test("Without a sheet there is nothing: no bar above the keyboard, no passkey made by itself")
    func silent() async throws {
        let phone = try phone()
        let (creation, request) = (try creation(), try request())
        await #expect(throws: AuthClientError.noPasskey) { try await phone.get(request, style: .autoFill) }
        await #expect(throws: AuthClientError.noPasskey) { try await phone.get(request, style: .immediatelyAvailable) }
        await #expect(throws: AuthClientError.cancelled) { try await phone.create(creation, style: .automatic) }
        #expect(phone.sheet.question == nil)
    }
}
