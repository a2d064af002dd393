import Foundation
import GatehouseCLI
import Testing

@Suite("The server of the terminal client")
struct ClientTargetTests {
    @Test(
        "An address works with or without the Auth API's path",
        arguments: [
            ("https://accounts.example.com", "https://accounts.example.com"),
            ("https://accounts.example.com/", "https://accounts.example.com"),
            ("https://accounts.example.com/auth/v1", "https://accounts.example.com"),
            ("https://accounts.example.com/auth/v1//", "https://accounts.example.com"),
            ("HTTPS://Accounts.Example.com:443", "https://accounts.example.com"),
            ("https://example.com/accounts/auth/v1", "https://example.com/accounts"),
            ("http://127.0.0.1:9999/", "http://127.0.0.1:9999"), ("http://[::1]:80", "http://[::1]"),
        ])
    func addresses(given: String, root: String) throws {
        let target = try ClientTarget(address: given, key: "")
        #expect(target.text == root)
        #expect(target.authURL.absoluteString == root + "/auth/v1")
    }

    @Test(
        "An invalid server address is refused",
        arguments: [
            "", "example.com", "ftp://example.com", "https://", "https://ada:secret@example.com",
            "https://example.com?key=1", "https://example.com/#top", "/auth/v1", "https://exa mple.com",
        ])
    func refused(address: String) {
        #expect(throws: ClientFailure.self) { try ClientTarget(address: address, key: "") }
    }

    @Test("A secret key is not sent")
    func secretKey() {
        let failure = #expect(throws: ClientFailure.self) {
            try ClientTarget(address: "https://example.com", key: "sb_secret_of_a_server")
        }
        #expect(failure?.exit == .usage)
        #expect(failure?.message.contains("sb_secret_of_a_server") == false)
    }

    @Test("Each server has its own slot in the store, whatever its address")
    func slots() throws {
        let addresses = [
            "https://example.com", "https://example.com:8443", "http://127.0.0.1:9999", "http://127.0.0.1:9998",
            "https://example.com/a",
        ]
        let keys = try addresses.map { try ClientTarget(address: $0, key: "").storageKey }
        #expect(Set(keys).count == addresses.count)
        #expect(keys.allSatisfy { $0.wholeMatch(of: /gatehouse-[0-9a-f]{16}/) != nil })
        #expect(try ClientTarget(address: "https://EXAMPLE.com/auth/v1/", key: "k").storageKey == keys[0])
        // A changed slot would sign every user out.
        #expect(keys[0] == "gatehouse-100680ad546ce6a5")
    }
}
