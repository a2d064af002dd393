import AccountDomain
import GatehouseWire
import Testing

@Suite("Mailed codes")
struct MailTests {
    @Test("A code has six digits; numbers that would favour some codes are drawn again")
    func codes() {
        var draws: [[UInt8]] = [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 7]]
        let minted = MintedToken(hasProofKey: true) { count in
            count == 4 ? draws.removeFirst() : Array(repeating: 0xAB, count: count)
        }
        #expect(minted.code.reveal() == "000007" && draws.isEmpty)
        #expect(minted.link.reveal() == "pkce_" + String(repeating: "ab", count: 28))
    }

    @Test("A code's digest needs the secret, and belongs to one owner")
    func digests() {
        let (seven, eight) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))
        let old = ServerSecrets([(1, seven)])!
        let rotated = ServerSecrets([(2, eight), (1, seven)])!
        let digest = old.codeDigest(Secret("123456"), of: "ada")
        #expect(digest.count == 33)
        #expect(rotated.isDigest(digest, ofCode: Secret("123456"), of: "ada"))
        #expect(!rotated.isDigest(digest, ofCode: Secret("123457"), of: "ada"))
        #expect(!rotated.isDigest(digest, ofCode: Secret("123456"), of: "bob"))
        let other = ServerSecrets([(2, seven)])!
        #expect(!other.isDigest(digest, ofCode: Secret("123456"), of: "ada"))
    }

    @Test("Attempts are spread around a pause that doubles up to ten minutes")
    func pauses() {
        #expect(MailSchedule.pause(after: 1, chance: 0.5) == .seconds(5))
        #expect(MailSchedule.pause(after: 2, chance: 0) == .milliseconds(7_500))
        #expect(MailSchedule.pause(after: 99, chance: 1) == .seconds(750))
    }

    @Test("What a mail says survives the outbox")
    func content() throws {
        var content = MailContent(
            kind: .recovery, recipient: try #require(Recipient("a@b.c")), redirectTo: "app://x")
        content.code = Secret("123456")
        content.data = ["a": 1]
        let read = try #require(MailContent(json: content.json))
        #expect(read.code?.reveal() == "123456" && read.linkToken == nil && read.data == ["a": 1])
    }

    @Test(
        "A session that began with a mailed code proves the address for ten minutes",
        arguments: AuthenticationMethod.allCases)
    func methods(_ method: AuthenticationMethod) {
        let proves: [AuthenticationMethod] = [.otp, .magicLink, .recovery]
        let start = Instant(microseconds: 0)
        let entry = method.entry(at: start)
        #expect(
            AuthenticationMethod.provesAddress(entry, at: start + .seconds(600)) == proves.contains(method))
        #expect(!AuthenticationMethod.provesAddress(entry, at: start + .seconds(601)))
        // The storing node may be a minute ahead. Further ahead, its clock was wrong.
        #expect(
            AuthenticationMethod.provesAddress(entry, at: start - .seconds(60)) == proves.contains(method))
        #expect(!AuthenticationMethod.provesAddress(entry, at: start - .seconds(61)))
    }
}
