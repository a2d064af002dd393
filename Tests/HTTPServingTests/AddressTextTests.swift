import HTTPServing
import HTTPTypes
import Testing

@Suite("Addresses as text")
struct AddressTextTests {
    @Test(
        "An address has the one text form of RFC 5952",
        arguments: [
            ("192.0.2.1:8080", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("[2001:DB8:0:0:1:0:0:1]:443", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("fe80::1%eth0", "fe80::1"),
        ])
    func spelling(text: String, expected: String) throws {
        let address = try #require(IPAddress(text))
        #expect("\(address)" == expected)
        #expect(IPAddress("\(address)") == address)
    }

    @Test("Behind a proxy the list of devices shows the caller's address")
    func device() throws {
        let forwarded = try #require(HTTPField.Name("X-Forwarded-For"))
        let rule = ClientAddressRule(.header(forwarded, from: [try #require(IPNetwork("10.0.0.0/8"))]))
        #expect(rule.text(peer: "10.0.0.1", [forwarded: "192.0.2.7"]) == "192.0.2.7")
    }
}
