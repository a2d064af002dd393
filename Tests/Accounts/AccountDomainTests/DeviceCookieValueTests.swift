import AccountDomain
import GatehouseWire
import Testing

@Suite("Device marks")
struct DeviceCookieValueTests {
    private let account = TokenDigest.of(Secret("ada@example.com"))
    private let id = (0..<8).map { UInt8($0) }

    private func user(_ number: UInt8, hash: String? = "$argon2id$one") -> User {
        let id = UserID(random: Array(repeating: number, count: 16))
        var user = User(id: id, audience: "a", role: "r", times: UserTimes(createdAt: Instant(seconds: 0)))
        user.passwordHash = hash.map { Secret($0) }
        return user
    }

    @Test("A mark is good for its account, its user and its password, under any secret that is known")
    func current() throws {
        let mark = try #require(DeviceCookieValue(of: account, user(1), id: id, .of(1)))
        #expect(mark.text.reveal().utf8.count == 44)
        let read = try #require(DeviceCookieValue(mark.text, of: account, .of(2, 1)))
        #expect(read.id == mark.id)
        #expect(read.password == mark.password)
        #expect(read.isCurrent(of: user(1), try .of(2, 1)))
        #expect(!read.isCurrent(of: user(2), try .of(2, 1)))
        #expect(!read.isCurrent(of: user(1, hash: "$argon2id$two"), try .of(2, 1)))
        #expect(!read.isCurrent(of: user(1, hash: nil), try .of(2, 1)))
        #expect(DeviceCookieValue(mark.text, of: TokenDigest.of(Secret("eve@example.com")), try .of(1)) == nil)
        #expect(DeviceCookieValue(mark.text, of: account, try .of(2)) == nil)
        #expect(DeviceCookieValue(of: account, user(1, hash: nil), id: id, try .of(1)) == nil)
    }

    @Test("Of one password every device has the same, of another another, and no bit can be changed")
    func parts() throws {
        let mark = try #require(DeviceCookieValue(of: account, user(1), id: id, .of(1)))
        let other = try #require(DeviceCookieValue(of: account, user(1), id: id.reversed(), .of(1)))
        #expect(other.password == mark.password)
        #expect(other.id != mark.id)
        let later = try #require(DeviceCookieValue(of: account, user(1, hash: "$argon2id$two"), id: id, .of(1)))
        #expect(later.password != mark.password)
        let bytes = try #require(Base64URL.decode(mark.text.reveal()))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(DeviceCookieValue(Secret(Base64URL.text(changed)), of: account, try .of(1, 2, 0)) == nil)
        }
        for text in ["", "AAAA", String(mark.text.reveal().dropLast(10)), mark.text.reveal() + "AAAA"] {
            #expect(DeviceCookieValue(Secret(text), of: account, try .of(1)) == nil)
        }
    }
}
