import GatehouseWire
import Testing

@testable import AccountDomain

@Suite("Proofs of a session's key")
struct UsedProofsTests {
    private func proof(_ number: UInt8, at seconds: Int64) -> KeyProof {
        KeyProof(thumbprint: "key", digest: [UInt8](repeating: number, count: 16), issuedAt: Instant(seconds: seconds))
    }

    @Test("Each works once, and none that is older than one that worked")
    func once() throws {
        let first = try #require(UsedProofs(stored: nil).adding(proof(1, at: 100)))
        let stored = UsedProofs(stored: first.stored)
        #expect(stored.adding(proof(1, at: 100)) == nil)
        #expect(stored.adding(proof(2, at: 99)) == nil)
        let second = try #require(stored.adding(proof(2, at: 100)))
        #expect(second.adding(proof(1, at: 100)) == nil && second.adding(proof(2, at: 100)) == nil)
        let later = try #require(second.adding(proof(1, at: 101)))
        #expect(UsedProofs(stored: later.stored).adding(proof(3, at: 100)) == nil)
    }

    @Test("What is stored stays short")
    func bounded() {
        var used = UsedProofs(stored: nil)
        var count = 0
        for number in UInt8(0)...255 {
            guard let next = used.adding(proof(number, at: 100)) else { continue }
            (used, count) = (next, count + 1)
        }
        #expect(count == 16 && used.stored.utf8.count < 400)
        #expect(used.adding(proof(0, at: 101)) != nil)
    }

    @Test("A nonce is the server's own, under each of its secrets")
    func nonces() throws {
        let old: (number: UInt8, bytes: [UInt8]) = (1, [UInt8](repeating: 1, count: 32))
        let new: (number: UInt8, bytes: [UInt8]) = (2, [UInt8](repeating: 2, count: 32))
        let before = try #require(ServerSecrets([old]))
        let after = try #require(ServerSecrets([new, old]))
        #expect(after.proofNonces(7).contains(try #require(before.proofNonces(7).first)))
        #expect(after.proofNonces(7) != after.proofNonces(8) && after.proofNonces(7).count == 2)
    }
}
