import AccountDomain
import GatehouseWire
import Testing

@Suite("Refresh token")
struct RefreshTokenTests {
    private let secrets: ServerSecrets
    private let session = SessionID(bytes: (0..<16).map { UInt8($0) * 7 })

    init() throws { secrets = try .of(7) }

    private func issued(_ counter: Int64) throws -> [UInt8] {
        let token = RefreshToken.issue(counter: counter, secrets.refreshTokenKey(for: session))
        return try #require(Base64URL.decode(token.reveal()))
    }

    private func parsed(_ bytes: [UInt8]) -> RefreshToken? { RefreshToken(Secret(Base64URL.text(bytes))) }

    /// Anyone can compute the checksum.
    private func checksummed(_ body: some Sequence<UInt8>) -> [UInt8] {
        Array(body) + ReferenceSHA256.hash(Array(body)).prefix(4)
    }

    @Test("The checksum of these tests is SHA-256 (FIPS 180-4)")
    func reference() {
        let expected: [UInt8] = [0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA]
        #expect(Array(ReferenceSHA256.hash(Array("abc".utf8)).prefix(8)) == expected)
    }

    @Test(
        "A token round-trips and is genuine, whatever its counter",
        arguments: [
            (0, 39), (1, 39), (127, 39), (128, 40), (16_383, 40), (16_384, 41), (1 << 31, 43), (.max / 2, 47),
            (.max, 47),
        ] as [(Int64, Int)])
    func roundTrip(_ counter: Int64, _ size: Int) throws {
        let text = RefreshToken.issue(counter: counter, secrets.refreshTokenKey(for: session))
        let token = try #require(RefreshToken(text))
        #expect(token.session == session)
        #expect(token.counter == counter)
        #expect(token.secretNumber == 7)
        #expect(token.isGenuine(secrets))
        #expect(try issued(counter).count == size)
        #expect((52...63).contains(text.utf8Count))
    }

    @Test("The same counter gives the same token, so the server can repeat it (D6)")
    func isRepeatable() {
        let text = RefreshToken.issue(counter: 4, secrets.refreshTokenKey(for: session))
        #expect(RefreshToken.issue(counter: 4, secrets.refreshTokenKey(for: session)).matches(text))
        #expect(!RefreshToken.issue(counter: 5, secrets.refreshTokenKey(for: session)).matches(text))
    }

    @Test("A typing error anywhere is refused", arguments: [0, 300, Int64.max])
    func typingErrors(_ counter: Int64) throws {
        let bytes = try issued(counter)
        for position in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[position] ^= 1 << UInt8(bit)
                #expect(parsed(changed) == nil)
            }
        }
    }

    @Test("A forged byte anywhere is refused, although the checksum is right", arguments: [0, 300, Int64.max])
    func forgeries(_ counter: Int64) throws {
        let body = try issued(counter).dropLast(4)
        for position in body.indices {
            for bit in 0..<8 {
                var changed = Array(body)
                changed[position] ^= 1 << UInt8(bit)
                #expect(parsed(checksummed(changed))?.isGenuine(secrets) != true)
            }
        }
        #expect(parsed(checksummed(body))?.isGenuine(secrets) == true)
    }

    @Test("The authentication code of one session does not fit another")
    func otherSession() throws {
        let other = SessionID(bytes: Array(repeating: 9, count: 16))
        var body = try Array(issued(3).dropLast(4))
        body.replaceSubrange(2..<18, with: other.bytes)
        let token = try #require(parsed(checksummed(body)))
        #expect(token.session == other)
        #expect(!token.isGenuine(secrets))
    }

    @Test("The authentication code of one counter does not fit the next")
    func otherCounter() throws {
        var body = try Array(issued(3).dropLast(4))
        body[18] = 4
        let token = try #require(parsed(checksummed(body)))
        #expect(token.counter == 4)
        #expect(!token.isGenuine(secrets))
    }

    @Test("A token of an unknown secret, or one that names another secret, is not genuine")
    func unknownSecret() throws {
        let foreign = RefreshToken.issue(counter: 1, try ServerSecrets.of(8).refreshTokenKey(for: session))
        let unknown = try #require(RefreshToken(foreign))
        #expect(!unknown.isGenuine(secrets))
        let sameNumber = try ServerSecrets.of(7, byte: 1)
        let forged = RefreshToken.issue(counter: 1, sameNumber.refreshTokenKey(for: session))
        let known = try #require(RefreshToken(forged))
        #expect(!known.isGenuine(secrets))
        var body = try Array(issued(1).dropLast(4))
        body[1] = 8
        let renamed = try #require(parsed(checksummed(body)))
        #expect(try !renamed.isGenuine(.of(8, 7)))
    }

    @Test("After a rotation of secrets old tokens stay genuine, and new ones use the newest (D14)")
    func rotatedSecrets() throws {
        let text = RefreshToken.issue(counter: 1, secrets.refreshTokenKey(for: session))
        let old = try #require(RefreshToken(text))
        let rotated = try ServerSecrets.of(8, 7)
        #expect(old.isGenuine(rotated))
        let next = RefreshToken.issue(counter: 2, rotated.refreshTokenKey(for: session))
        let new = try #require(RefreshToken(next))
        #expect(new.secretNumber == 8)
        #expect(new.isGenuine(rotated))
        #expect(!new.isGenuine(secrets))
        #expect(try !old.isGenuine(ServerSecrets.of(8)))
    }

    @Test(
        "A counter has one encoding: extra zeros, missing ends and ten bytes are refused",
        arguments: [
            [0x80, 0x00], [0x81, 0x00], [0xFF, 0x80, 0x00], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
            [0x80], [0x81, 0x80], [0x01, 0x01], [0x00, 0x00], [],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ] as [[UInt8]])
    func otherSpellings(_ counter: [UInt8]) throws {
        let bytes = try issued(0)
        #expect(parsed(checksummed(bytes[..<18] + counter + bytes[19..<35])) == nil)
    }

    @Test("Any other version than 1 is refused")
    func versions() throws {
        for version in UInt8.min...UInt8.max {
            let body = try [version] + issued(0).dropLast(4).dropFirst()
            #expect((parsed(checksummed(body)) != nil) == (version == 1))
        }
    }

    @Test("A token of any other length is refused, even with the right checksum")
    func lengths() throws {
        let body = try issued(0).dropLast(4)
        for count in 0..<35 { #expect(parsed(checksummed(body.prefix(count))) == nil) }
        let longest = try issued(.max)
        for extra in 1...40 {
            #expect(parsed(checksummed(longest.dropLast(4) + Array(repeating: 0, count: extra))) == nil)
        }
        #expect(parsed(longest) != nil)
    }

    @Test(
        "Text that is not a token of this server is refused",
        arguments: [
            "", "abcdefghij12", "a2b3c4d5e6f7", "234567abcdef", String(repeating: "A", count: 52),
            String(repeating: "A", count: 63), String(repeating: "A", count: 1_000), "Bearer x",
        ])
    func otherTexts(_ text: String) {
        #expect(RefreshToken(Secret(text)) == nil)
    }

    @Test("The base64url text has one encoding: padding, blanks and stray bits are refused")
    func otherTextSpellings() throws {
        let text = RefreshToken.issue(counter: 128, secrets.refreshTokenKey(for: session)).reveal()
        #expect(RefreshToken(Secret(text)) != nil)
        for other in [text + "=", text + "==", " " + text, text + "\n", text + "A", String(text.dropLast())] {
            #expect(RefreshToken(Secret(other)) == nil)
        }
        #expect(text.count % 4 == 2)
        let symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let readings = symbols.filter { RefreshToken(Secret(text.dropLast() + String($0))) != nil }
        #expect(String(readings) == String(text.suffix(1)))
    }

    @Test("Neither a token nor its parsed form prints the authentication code")
    func isNotPrinted() throws {
        let text = RefreshToken.issue(counter: 1, secrets.refreshTokenKey(for: session))
        let token = try #require(RefreshToken(text))
        let code = try issued(1).dropLast(4).suffix(16).map { "\($0)" }.joined(separator: ", ")
        var dumped = ""
        for value in [token, Optional(token) as Any, [token], text] {
            dump(value, to: &dumped)
            dumped += "\(value)" + String(reflecting: value)
        }
        #expect(!dumped.contains(text.reveal()))
        #expect(!dumped.contains(code))
        #expect(Mirror(reflecting: token).children.allSatisfy { !($0.value is [UInt8]) })
        #expect("\(token)" == "refresh token 1 of session \(session.text)")
    }
}

extension RefreshToken {
    fileprivate func isGenuine(_ secrets: ServerSecrets) -> Bool { genuineKey(secrets) != nil }
}
