import GatehouseWire
import IdentityProviders
import Testing

@Suite("Allowed provider addresses")
struct AddressRuleTests {
    @Test(
        "Public addresses are public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.167.1.1",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "169.253.255.255", "2606:4700::1111", "2a00::1",
            "2001:200::1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::8.8.8.8",
        ])
    func publicAddresses(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(
        "Every reserved range is not",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1",
            "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::2", "::8.8.8.8",
            "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:0:8.8.8.8", "64:ff9b::10.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378::1", "2001:10::1",
            "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1",
            "febf::1", "fec0::1", "ff02::1", "5f00::1", "4000::1",
        ])
    func reservedAddresses(_ text: String) throws {
        #expect(!(try #require(IPAddress(text)).isPublic))
    }

    private func refusal(
        _ text: String, _ rule: OutgoingAddressRule = OutgoingAddressRule(), resolved: [String]? = nil
    ) throws -> OutgoingAddressRule.Refusal? {
        let url = try #require(ProviderURL(text))
        do throws(OutgoingAddressRule.Refusal) {
            guard let resolved else {
                try rule.check(url)
                return nil
            }
            try rule.check(resolved.compactMap(IPAddress.init), of: url)
            return nil
        } catch {
            return error
        }
    }

    @Test("https to public addresses and to names; names are checked again after their resolution")
    func strict() throws {
        #expect(try refusal("https://id.example.org/x") == nil)
        #expect(try refusal("https://8.8.8.8/") == nil)
        #expect(try refusal("http://id.example.org/") == .notHTTPS(host: "id.example.org"))
        #expect(try refusal("http://127.0.0.1/") == .notHTTPS(host: "127.0.0.1"))
        for host in ["127.0.0.1", "10.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "localhost", "x.localhost", "LOCALHOST"] {
            let bare = host.lowercased().replacing("[", with: "").replacing("]", with: "")
            #expect(try refusal("https://\(host)/") == .notPublic(host: bare))
        }
        let name = "https://id.example.org/"
        #expect(try refusal(name, resolved: ["8.8.8.8", "2606:4700::1"]) == nil)
        for private_ in ["10.0.0.1", "::1", "64:ff9b::10.0.0.1", "169.254.169.254"] {
            #expect(try refusal(name, resolved: ["8.8.8.8", private_]) == .notPublic(host: "id.example.org"))
        }
        #expect(try refusal(name, resolved: []) == .noAddress(host: "id.example.org"))
        #expect(try refusal("http://id.example.org/", resolved: ["8.8.8.8"]) == .notHTTPS(host: "id.example.org"))
    }

    @Test("Loopback, if allowed, is decided by the URL and not by a name's addresses")
    func loopback() throws {
        let rule = OutgoingAddressRule(allowsLoopback: true)
        for url in ["http://127.0.0.1:9000/", "http://localhost:9000/", "http://[::1]/", "https://localhost/"] {
            #expect(try refusal(url, rule) == nil)
        }
        #expect(try refusal("http://localhost/", rule, resolved: ["127.0.0.1", "::1"]) == nil)
        #expect(try refusal("http://localhost/", rule, resolved: ["10.0.0.1"]) == .notPublic(host: "localhost"))
        #expect(try refusal("http://localhost/", rule, resolved: ["8.8.8.8"]) == .notPublic(host: "localhost"))
        let name = "https://id.example.org/"
        #expect(try refusal(name, rule, resolved: ["127.0.0.1"]) == .notPublic(host: "id.example.org"))
        #expect(try refusal("http://10.0.0.1/", rule) == .notHTTPS(host: "10.0.0.1"))
    }

    @Test("Allowed networks permit their addresses, over https only")
    func allowed() throws {
        let rule = OutgoingAddressRule(allowedNetworks: [try #require(IPNetwork("10.1.0.0/16"))])
        #expect(try refusal("https://10.1.2.3/", rule) == nil)
        #expect(try refusal("https://10.2.2.3/", rule) == .notPublic(host: "10.2.2.3"))
        #expect(try refusal("http://10.1.2.3/", rule) == .notHTTPS(host: "10.1.2.3"))
        #expect(try refusal("https://keycloak/", rule, resolved: ["10.1.2.3"]) == nil)
        #expect(try refusal("https://keycloak/", rule, resolved: ["10.2.2.3"]) == .notPublic(host: "keycloak"))
    }
}
