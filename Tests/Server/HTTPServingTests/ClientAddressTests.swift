import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Testing

@Suite("Client addresses")
struct ClientAddressTests {
    private static let header = HTTPField.Name("x-forwarded-for")!

    @Test(
        "One address has one key, in any notation",
        arguments: [
            ("192.0.2.1", "c0000201"), ("::ffff:192.0.2.1", "c0000201"), ("192.0.2.1:8080", "c0000201"),
            ("[::ffff:c000:201]:80", "c0000201"), ("2001:db8:0:1::1", "20010db800000001/64"),
            ("2001:db8:0:1:ffff:ffff:ffff:ffff", "20010db800000001/64"), ("[2001:DB8::1]:443", "20010db800000000/64"),
            ("fe80::1%eth0", "fe80000000000000/64"), ("::", "0/64"), ("64:ff9b::192.0.2.1", "c0000201"),
            ("64:ff9b::c000:201", "c0000201"), ("64:ff9b:0:0:1::1", "64ff9b00000000/64"),
            ("64:ff9b:1::192.0.2.1", "64ff9b00010000/64"),
        ])
    func keys(_ text: String, _ key: String) { #expect(IPAddress(forwarded: text)?.limitKey == key) }

    /// RFC 6052: the translator writes all of IPv4 into one /96.
    @Test("Of a NAT64 each IPv4 address behind it is counted by itself, and is no nearer to a trusted network")
    func translated() throws {
        let address = try #require(IPAddress("64:ff9b::10.1.2.3"))
        let plain = try #require(IPAddress("10.1.2.3"))
        #expect(address.siteKey == nil)
        #expect(address.subscriber == plain.subscriber)
        #expect(address.block == plain.block)
        #expect(address != plain)
        #expect(!(try #require(IPNetwork("10.0.0.0/8"))).contains(address))
    }

    @Test(
        "A proxy that is not trusted is noticed",
        arguments: [
            (.peer, "10.0.0.1", "x-forwarded-for", true), (.peer, "10.0.0.1", "forwarded", true),
            (.peer, "10.0.0.1", "user-agent", false), (.headerFromAnyone(Self.header), "10.0.0.1", "forwarded", false),
            (Self.behindProxy, "10.0.0.1", "x-forwarded-for", false),
            (Self.behindProxy, "192.0.2.1", "x-forwarded-for", true), (Self.behindProxy, "192.0.2.1", "accept", false),
            (Self.behindProxy, nil, "x-forwarded-for", false),
        ] as [(ClientAddressRule.Source, String?, String, Bool)])
    func ignored(_ source: ClientAddressRule.Source, _ peer: String?, _ name: String, _ isNoticed: Bool) throws {
        let headers: HTTPFields = [try #require(HTTPField.Name(name)): "198.51.100.1"]
        #expect(ClientAddressRule(source).ignoresForwarding(peer: peer, headers) == isNoticed)
    }

    @Test("The first request through an untrusted proxy causes a warning, and all are counted")
    func warning() async throws {
        let router = TestRouter()
        let limit = RateLimit("some", 100, per: .seconds(1), burst: 100)
        let table = router.table("", limits: [limit], [Route(.get, "/a", limitedBy: "some") { _, _ in Answer.empty() }])
        _ = try await router.send(.get, "/a", to: table)
        let message = "a proxy that is not trusted passes requests on"
        #expect(!router.lines.text.contains(message))
        for _ in 0..<3 { _ = try await router.send(.get, "/a", [Self.header: "198.51.100.1"], to: table) }
        #expect(router.lines.text.components(separatedBy: message).count == 2)
        #expect(!router.lines.text.contains("198.51.100.1"))
        #expect(router.metrics.render().contains("\ngatehouse_untrusted_forwarded_requests_total 3\n"))
    }

    private static let behindProxy = ClientAddressRule.Source.header(header, from: [IPNetwork("10.0.0.0/8")!])

    @Test(
        "The header applies if a trusted proxy sent it",
        arguments: [
            ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
            ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
            ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
            ("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "10.0.0.2"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", nil, "10.0.0.1"),
        ])
    func trusted(_ peer: String, _ sent: String?, _ expected: String) throws {
        let rule = ClientAddressRule(.header(Self.header, from: [try #require(IPNetwork("10.0.0.0/8"))]))
        let headers: HTTPFields = sent.map { [Self.header: $0] } ?? [:]
        #expect(rule.address(peer: peer, headers) == IPAddress(expected))
    }

    @Test("Without a rule the header is ignored")
    func peer() {
        let rule = ClientAddressRule(.peer)
        #expect(rule.address(peer: "192.0.2.1", [Self.header: "1.1.1.1"]) == IPAddress("192.0.2.1"))
        #expect(rule.address(peer: nil, [Self.header: "1.1.1.1"]) == nil)
    }

    @Test("From any sender the first value applies, and without the header nothing is limited")
    func anyone() {
        let rule = ClientAddressRule(.headerFromAnyone(Self.header))
        #expect(rule.address(peer: nil, [Self.header: "1.1.1.1, 2.2.2.2"]) == IPAddress("1.1.1.1"))
        #expect(rule.address(peer: "192.0.2.1", [:]) == nil)
    }

    @Test(
        "The bearer's syntax is exact",
        arguments: [
            ("Bearer abc", "abc" as String?), ("bEARER abc", "abc"), ("Bearer  abc", nil), ("Bearer a b", nil),
            ("Bearer ", nil),
            ("Basic abc", nil), ("Bearer", nil), ("Bearer\tabc", nil),
        ])
    func bearer(_ sent: String, _ token: String?) {
        #expect(HTTPFields([HTTPField(name: .authorization, value: sent)]).bearerToken == token)
    }

    @Test("A byte that no token has is found at every place of a long one", arguments: 0..<70)
    func longBearer(position: Int) {
        let token = (0..<70).map { UInt8(0x21 + $0) }
        let whole = HTTPField(name: .authorization, value: Array("Bearer ".utf8) + token)
        #expect(HTTPFields([whole]).bearerToken == String(decoding: token, as: UTF8.self))
        for wrong in [0x20, 0x7F, 0x80, 0xFF] as [UInt8] {
            var bytes = token
            bytes[position] = wrong
            let sent = HTTPField(name: .authorization, value: Array("Bearer ".utf8) + bytes + [0x61])
            #expect(HTTPFields([sent]).bearerToken == nil)
        }
    }

    @Test("Behind a proxy the list of devices shows the caller's address")
    func device() throws {
        let forwarded = try #require(HTTPField.Name("X-Forwarded-For"))
        let rule = ClientAddressRule(.header(forwarded, from: [try #require(IPNetwork("10.0.0.0/8"))]))
        #expect(rule.text(peer: "10.0.0.1", [forwarded: "192.0.2.7"]) == "192.0.2.7")
    }
}
