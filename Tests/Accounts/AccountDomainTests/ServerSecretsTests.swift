import AccountDomain
import Testing

@Suite("Server secrets")
struct ServerSecretsTests {
    private let nonce = (0..<12).map { UInt8($0) }

    @Test(
        "An empty list, a duplicate number and a short secret are refused",
        arguments: [
            ([], false), ([(1, 31)], false), ([(1, 0)], false), ([(1, 32), (2, 31)], false),
            ([(1, 32), (1, 32)], false), ([(1, 32), (2, 32), (1, 40)], false), ([(1, 32)], true),
            ([(0, 32), (255, 64)], true),
        ] as [([(UInt8, Int)], Bool)])
    func refused(_ secrets: [(UInt8, Int)], _ isAccepted: Bool) {
        let made = ServerSecrets(secrets.map { ($0.0, Array(repeating: 3, count: $0.1)) })
        #expect((made != nil) == isAccepted)
    }

    @Test("Sealed bytes open again, empty or long", arguments: [0, 1, 16, 1_000])
    func roundTrip(_ count: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = try ServerSecrets.of(1).seal(plain, name: "signing key", nonce: nonce)
        #expect(sealed.count == count + 29)
        #expect(sealed.first == 1)
        #expect(try ServerSecrets.of(1).open(sealed, name: "signing key") == plain)
    }

    @Test("Sealed bytes do not contain the plain text, and differ by nonce and by secret")
    func hides() throws {
        let plain = Array("a private key of some length".utf8)
        let sealed = try ServerSecrets.of(1).seal(plain, name: "key", nonce: nonce)
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: plain.prefix(4)) })
        let otherNonce = try ServerSecrets.of(1).seal(plain, name: "key", nonce: nonce.reversed())
        #expect(otherNonce.suffix(44) != sealed.suffix(44))
        #expect(try ServerSecrets.of(2).seal(plain, name: "key", nonce: nonce).suffix(44) != sealed.suffix(44))
    }

    @Test("Bytes sealed under one name do not open under another")
    func otherName() throws {
        let sealed = try ServerSecrets.of(1).seal([1, 2, 3], name: "key a", nonce: nonce)
        for name in ["key b", "key", "", "key a "] {
            expectTampered { try ServerSecrets.of(1).open(sealed, name: name) }
        }
    }

    @Test("A change of any bit is refused")
    func tampered() throws {
        let secrets = try ServerSecrets.of(1)
        let sealed = try secrets.seal([1, 2, 3], name: "key", nonce: nonce)
        for position in sealed.indices.dropFirst() {
            for bit in 0..<8 {
                var changed = sealed
                changed[position] ^= 1 << UInt8(bit)
                expectTampered { try secrets.open(changed, name: "key") }
            }
        }
        expectTampered { try secrets.open(sealed + [0], name: "key") }
        expectTampered { try secrets.open(sealed.dropLast(), name: "key") }
    }

    @Test("Older secrets open their own bytes; the newest one seals")
    func rotation() throws {
        let old = try ServerSecrets.of(1).seal([1], name: "key", nonce: nonce)
        let rotated = try ServerSecrets.of(2, 1)
        #expect(try rotated.open(old, name: "key") == [1])
        #expect(try rotated.seal([1], name: "key", nonce: nonce).first == 2)
    }

    @Test("An unknown number and a text that is too short are distinguished from tampering")
    func unknownNumber() throws {
        let secrets = try ServerSecrets.of(1)
        var sealed = try secrets.seal([1], name: "key", nonce: nonce)
        sealed[0] = 9
        let texts: [([UInt8], UInt8?)] = [(sealed, 9), ([], nil), ([1] + Array(repeating: 0, count: 27), 1)]
        for (text, number) in texts {
            let error = #expect(throws: UnknownServerSecret.self) { try secrets.open(text, name: "key") }
            #expect(error?.number == number)
        }
    }

    @Test("Another secret with the same number opens nothing")
    func otherBytes() throws {
        let sealed = try ServerSecrets.of(1).seal([1], name: "key", nonce: nonce)
        let other = try ServerSecrets.of(1, byte: 2)
        expectTampered { try other.open(sealed, name: "key") }
    }

    @Test("No text form of a secret contains its bytes")
    func isNotPrinted() throws {
        let secrets = try ServerSecrets.of(1, byte: 0xAB)
        var text = "\(secrets)" + String(reflecting: secrets)
        dump(secrets, to: &text)
        for spelling in ["171", "ababab", "ABABAB"] { #expect(!text.contains(spelling)) }
        // A keyed code's state is as sensitive as the secret.
        #expect(Mirror(reflecting: secrets).children.isEmpty)
    }

    /// Each platform has another case for a wrong tag.
    private func expectTampered(_ open: () throws -> [UInt8], at location: SourceLocation = #_sourceLocation) {
        #expect(sourceLocation: location) {
            try open()
        } throws: {
            "\(type(of: $0))" == "CryptoKitError"
        }
    }
}
