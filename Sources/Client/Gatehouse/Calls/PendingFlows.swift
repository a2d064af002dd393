import Crypto
import Foundation

package enum FlowKind: String, Sendable {
    case signIn = "sign_in"
    case recovery
    case link
    case emailChange = "email_change"
}

/// A flow in a browser or email. Its verifier stays here until the code arrives (RFC 7636).
package struct PendingFlow: Hashable, Sendable {
    /// 43 characters of `[A-Za-z0-9_-]`.
    package var verifier: String
    var kind: FlowKind

    package init(verifier: String, kind: FlowKind) { (self.verifier, self.kind) = (verifier, kind) }

    package var challenge: String { Base64URL.text(Array(SHA256.hash(data: Array(verifier.utf8)))) }

    /// The members of the flow's first request.
    var members: [(name: String, value: String)] {
        [("code_challenge", challenge), ("code_challenge_method", "s256")]
    }
}

extension PendingFlow {
    package static func key(below key: String) -> String { key + ".pkce-flows" }

    /// Unreadable flows must be started again.
    package static func list(_ entry: [UInt8]) -> [PendingFlow] {
        // Ignored: unreadable is missing.
        let json = (try? JSONReader.read(entry))?.arrayValue ?? []
        return json.compactMap { flow in
            guard let verifier = flow["verifier"]?.stringValue,
                let kind = flow["kind"]?.stringValue.flatMap(FlowKind.init)
            else { return nil }
            return PendingFlow(verifier: verifier, kind: kind)
        }
    }

    package static func entry(_ flows: [PendingFlow]) -> [UInt8] {
        let json = flows.map { AuthJSON.object(["verifier": .string($0.verifier), "kind": .string($0.kind.rawValue)]) }
        return Array(AuthJSON.array(json).text.utf8)
    }
}

/// The newest ``limit`` pending flows, stored so that a restarted app can complete them.
actor PendingFlows {
    private let storage: any SecureStorage
    private let key: String
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let gate = SerialGate()
    private let limit = 5

    init(storage: any SecureStorage, key: String, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.storage = storage
        self.key = PendingFlow.key(below: key)
        self.randomBytes = randomBytes
    }

    /// If it throws, no flow started.
    func begin(_ kind: FlowKind) async throws -> PendingFlow {
        let flow = PendingFlow(verifier: Base64URL.text(randomBytes(32)), kind: kind)
        try await gate.run { try await self.write(Array((try await self.read() + [flow]).suffix(self.limit))) }
        return flow
    }

    /// A wrong verifier is harmless: the server keeps the code.
    func newestFirst() async throws -> [PendingFlow] { try await read().reversed() }

    func finish(_ flow: PendingFlow) async throws {
        try await gate.run { try await self.write(try await self.read().filter { $0 != flow }) }
    }

    func clear() async throws { try await gate.run { try await self.write([]) } }

    private func read() async throws -> [PendingFlow] {
        switch await storage.read(key) {
        case .absent: return []
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        case .value(let bytes): return PendingFlow.list(bytes)
        }
    }

    private func write(_ flows: [PendingFlow]) async throws {
        do {
            if flows.isEmpty {
                try await storage.remove(key)
            } else {
                try await storage.write(PendingFlow.entry(flows), for: key)
            }
        } catch {
            throw AuthClientError.storeFailed(StoreProblem(error))
        }
    }
}
