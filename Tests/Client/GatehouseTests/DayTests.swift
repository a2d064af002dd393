import AccountStore
import AuthServer
import Foundation
import Gatehouse
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import TestSupport
import Testing

/// In simulated time, devices sleep, wake, lose responses and restart, and the server does its background work and
/// rotates its key. `make soak` simulates 24 hours of 200 devices.
@Suite("A simulated day")
struct DayTests {
    /// Minutes between two steps of a device.
    private static let step = 5

    private static func setting(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
    }

    @Test("Devices that sleep, wake, lose responses and restart stay signed in through key rotations")
    func day() async throws {
        let hours = Self.setting("GATEHOUSE_SIMULATED_HOURS", 5)
        try await TestServer.with { server in
            var devices: [Device] = []
            for number in 0..<Self.setting("GATEHOUSE_SIMULATED_DEVICES", 4) {
                devices.append(try await Device(number, server))
            }
            let (start, firstKeys) = (server.clock.now, try await keyIDs(server))
            for minute in stride(from: 0, to: hours * 60, by: Self.step) {
                // Waiting before a retry also moves the clock.
                let due = start + .seconds(minute * 60)
                if server.clock.now < due { server.clock.advance(by: due - server.clock.now) }
                if minute % 240 == 120 { try await rotateKey(server) }
                if minute % 10 == 0 { try await workInBackground(server) }
                for index in devices.indices { try await devices[index].live() }
            }
            for device in devices { try await device.checkIsSignedIn() }
            #expect(try await keyIDs(server).isDisjoint(with: firstKeys))
            let (requests, refreshes) = devices.reduce((0, 0)) {
                ($0.0 + $1.world.network.calls.count, $0.1 + $1.world.network.refreshCount)
            }
            print(
                "figure: \(hours) simulated hours, \(devices.count) devices, \(requests) requests, "
                    + "\(refreshes) refreshes, \(devices.map(\.faults).reduce(0, +)) faults, nobody signed out")
        }
    }

    private func rotateKey(_ server: TestServer) async throws {
        let key = JSONWebKey.newES256().identified()
        let now = server.clock.now
        try await server.signingKeys.rotate(
            to: StoredSigningKey(id: key.id ?? key.thumbprint, privateKey: key.privateJWK, createdAt: now),
            forgettingRetiredBefore: now - server.settings.accessTokenLifetime - KeyRing.overlap)
    }

    private func workInBackground(_ server: TestServer) async throws {
        try await server.keys.reload()
        while try await server.auth.purgeExpired() > 0 {}
        _ = try await server.auth.removeEndedSessions()
    }

    /// The server's published keys.
    private func keyIDs(_ server: TestServer) async throws -> Set<String> {
        let answer = try await server.send(.get, "/auth/v1/.well-known/jwks.json")
        let ids = answer["keys"]?.arrayValue?.compactMap { $0["kid"]?.stringValue } ?? []
        #expect(!ids.isEmpty)
        return Set(ids)
    }
}

/// Its number determines its behavior.
private struct Device {
    let world: World
    let email: String
    private var client: GatehouseClient
    private var random: SeededGenerator
    private(set) var faults = 0

    init(_ number: Int, _ server: TestServer) async throws {
        world = try World(server)
        client = world.client
        email = "person\(number)@example.com"
        random = SeededGenerator(seed: UInt64(number) + 1)
        try await world.signUp(email)
    }

    /// Mostly it sleeps.
    mutating func live() async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<12: break
        case 12: client = try world.anotherProcess()
        case 13: try await ask(after: .isDown)
        case 14, 15: try await ask(after: .losesAnswers)
        case 16: try await ask(after: .answers(status: 503, headers: [:]))
        default: try await ask(after: .none)
        }
    }

    /// The next call meets `fault`, and the client or the app repeats it.
    private mutating func ask(after fault: TestNetwork.Fault) async throws {
        if case .none = fault {} else { faults += 1 }
        world.network.meet(fault)
        for _ in 0..<5 {
            do {
                #expect(try await client.user().email == email)
                world.network.clear()
                return
            } catch AuthClientError.offline {
                continue
            } catch AuthClientError.refused(let refusal) where refusal.status == 503 {
                continue
            }
        }
        Issue.record("\(email) stays offline")
    }

    func checkIsSignedIn() async throws {
        world.network.clear()
        #expect(try await client.session.user.email == email)
    }
}
