import AccountDomain
import GatehouseWire
import Testing

@Suite("Codes of authenticator apps")
struct TimeCodeTests {
    private let codes = TimeCode(secret: Array("12345678901234567890".utf8))

    @Test(
        "The vectors of RFC 6238, appendix B, in six digits",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func vectors(_ seconds: Int64, _ code: String) {
        #expect(codes.code(of: TimeCode.step(at: Instant(seconds: seconds))) == code)
    }

    @Test(
        "The present code and its neighbours are accepted, others are not",
        arguments: [(-2, nil), (-1, -1), (0, 0), (1, 1), (2, nil)] as [(Int64, Int64?)])
    func skew(_ offset: Int64, _ accepted: Int64?) {
        let now = Instant(seconds: 1_234_567_890)
        let step = TimeCode.step(at: now)
        let code = Secret(codes.code(of: step + offset))
        #expect(codes.step(ofCode: code, after: nil, at: now) == accepted.map { step + $0 })
    }

    @Test("A code is accepted once, and not after a later one")
    func replay() {
        let now = Instant(seconds: 1_234_567_890)
        let step = TimeCode.step(at: now)
        for last in [step, step + 1] {
            #expect(codes.step(ofCode: Secret(codes.code(of: step)), after: last, at: now) == nil)
        }
        #expect(codes.step(ofCode: Secret(codes.code(of: step)), after: step - 1, at: now) == step)
    }

    @Test("A last code of a clock that was a year ahead shuts nothing; one of a clock that is a minute ahead counts")
    func ahead() {
        let now = Instant(seconds: 1_234_567_890)
        let step = TimeCode.step(at: now)
        let code = Secret(codes.code(of: step))
        for (last, accepted) in [(step + 1_051_200, step), (step + 4, step), (step + 3, nil)] as [(Int64, Int64?)] {
            #expect(codes.step(ofCode: code, after: last, at: now) == accepted)
        }
    }

    @Test("Text that is no code is wrong", arguments: ["", "12345", "1234567", "abcdef", "２８７０８２"])
    func noCode(_ text: String) {
        #expect(codes.step(ofCode: Secret(text), after: nil, at: Instant(seconds: 59)) == nil)
    }

    @Test("The address of an app escapes what would end its parts")
    func address() {
        let address = TimeCode.address(
            issuer: "A & B?", account: "ada+1@example.com", secret: Secret("JBSWY3DPEHPK3PXP"))
        let expected =
            "otpauth://totp/A%20&%20B%3F:ada+1@example.com?algorithm=SHA1&digits=6&issuer=A%20%26%20B%3F&period=30"
            + "&secret=JBSWY3DPEHPK3PXP"
        #expect(address.matches(Secret(expected)))
    }

    @Test(
        "A name has no colon, which separates issuer and account",
        arguments: [
            ("Box Score", "Box Score"), ("Box: Score", "Box Score"), ("localhost:9999", "localhost 9999"),
            (" a  b", " a  b"), (":", ""), ("Größe:  1:2 ", "Größe 1 2"),
        ])
    func label(_ name: String, _ label: String) {
        #expect(TimeCode.label(name) == label)
        let address = TimeCode.address(issuer: label, account: name, secret: Secret("A")).reveal()
        #expect(address.split(separator: "?")[0].count { $0 == ":" } == 2)
    }

    @Test(
        "The vectors of RFC 4648, section 10",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("foobar", "MZXW6YTBOI"),
        ])
    func base32(_ text: String, _ encoded: String) {
        #expect(Base32.text(Array(text.utf8)) == encoded)
        #expect(Base32.decode(encoded.utf8) == Array(text.utf8))
        #expect(Base32.decode((encoded.lowercased() + "==").utf8) == Array(text.utf8))
        #expect(Base32.decode("1".utf8) == nil)
    }
}
