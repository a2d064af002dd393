import AccountDomain
import GatehouseWire
import Testing

@Suite("Identifier")
struct IdentifierTests {
    @Test(
        "The hyphenated form is accepted in either case and kept in lowercase",
        arguments: [
            ("0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"),
            ("0F6D2C5E-8A4B-4B0E-9D3F-2F6F2F1F7C10", "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"),
            ("ABCDEFAB-cdef-ABCD-efab-CDEFabcdef00", "abcdefab-cdef-abcd-efab-cdefabcdef00"),
            ("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"),
        ])
    func accepted(_ text: String, _ expected: String) {
        #expect(UserID(text)?.text == expected)
        #expect(UserID(text) == UserID(expected))
    }

    @Test(
        "Every other form is refused",
        arguments: [
            "", "0f6d2c5e8a4b4b0e9d3f2f6f2f1f7c10", "{0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10}",
            "urn:uuid:0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c1",
            "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c100", "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c1g",
            "0f6d2c5-e8a4b-4b0e-9d3f-2f6f2f1f7c10", "0f6d2c5e_8a4b_4b0e_9d3f_2f6f2f1f7c10",
            "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c1-", " f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10",
            "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7cé", "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c１", "me",
            "'; DROP TABLE users; --              ",
        ])
    func refused(_ text: String) {
        #expect(UserID(text) == nil)
    }

    @Test("Any random bytes give version 4 and variant 10 (RFC 9562 §5.4)")
    func random() {
        #expect(UserID(random: Array(repeating: 0, count: 16)).text == "00000000-0000-4000-8000-000000000000")
        #expect(UserID(random: Array(repeating: 255, count: 16)).text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        for byte in UInt8.min...UInt8.max {
            let id = UserID(random: Array(repeating: byte, count: 16))
            #expect(id.bytes[6] >> 4 == 4)
            #expect(id.bytes[8] >> 6 == 0b10)
            #expect(id.bytes[0] == byte)
            #expect(UserID(id.text) == id)
        }
    }

    @Test("An identifier with a time is a version 7 UUID, and sorts by the time")
    func ordered() throws {
        // RFC 9562, appendix A.6.
        let bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0x7C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F]
        let time = Instant(seconds: 1_645_557_742)
        #expect(UserID(at: time, random: bytes).text == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        let low = UserID(at: time + .milliseconds(1), random: Array(repeating: 0, count: 16))
        let high = UserID(at: time, random: Array(repeating: 255, count: 16))
        #expect(low.text > high.text)
        #expect(UserID(at: Instant(seconds: -1), random: bytes).text.hasPrefix("00000000-0000-7"))
    }

    @Test("Bytes round-trip through text")
    func bytes() {
        for start in UInt8.min...UInt8.max {
            let bytes = (0..<16).map { start &+ UInt8($0) &* 17 }
            let id = SessionID(bytes: bytes)
            #expect(id.bytes == bytes)
            #expect(SessionID(id.text) == id)
            #expect(SessionID(trusted: id.text) == id)
        }
        let counted = SessionID(bytes: (0..<16).map { UInt8($0) })
        #expect(counted.text == "00010203-0405-0607-0809-0a0b0c0d0e0f")
    }

    @Test("Only the nil UUID is nil")
    func isNil() throws {
        #expect(UserID(bytes: Array(repeating: 0, count: 16)).isNil)
        #expect(try #require(UserID("00000000-0000-0000-0000-000000000000")).isNil)
        #expect(!UserID(random: Array(repeating: 0, count: 16)).isNil)
        #expect(try !#require(UserID("00000000-0000-0000-0000-000000000001")).isNil)
    }
}
