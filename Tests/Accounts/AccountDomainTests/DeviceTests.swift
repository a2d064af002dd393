import AccountDomain
import Testing

@Suite("Devices")
struct DeviceTests {
    @Test(
        "A user agent is limited to 512 bytes, whatever its characters",
        arguments: [
            (String(repeating: "x", count: 600), 512), ("a" + String(repeating: "\u{301}", count: 40_000), 511),
            (String(repeating: "👩‍👩‍👧", count: 100), 512), ("curl/8.0", 8), ("", 0),
        ])
    func bounded(_ text: String, _ bytes: Int) {
        let kept = Device(userAgent: text, address: nil).userAgent
        #expect(kept?.utf8.count ?? -1 <= 512)
        #expect(abs((kept?.utf8.count ?? -1) - bytes) < 4)
        #expect(text.unicodeScalars.starts(with: (kept ?? "?").unicodeScalars))
    }

    @Test("A missing user agent stays missing")
    func none() { #expect(Device(userAgent: nil, address: nil).userAgent == nil) }
}
