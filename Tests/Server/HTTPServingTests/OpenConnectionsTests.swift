import GatehouseWire
import HTTPServing
import HTTPTypes
import Testing

@Suite("Connection limits")
struct OpenConnectionsTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test("One address has its share, and all others have the rest")
    func shares() throws {
        let open = OpenConnections(ConnectionLimits(total: 5, perAddress: 2)) { _ in false }
        let (one, other, third) = (try address("192.0.2.1"), try address("192.0.2.2"), try address("192.0.2.3"))
        #expect([open.open(one), open.open(one), open.open(one)] == [true, true, false])
        #expect([open.open(other), open.open(other), open.open(third), open.open(third)] == [true, true, true, false])
        #expect(open.count == 5)
        open.close(other)
        #expect(open.open(one) == false)
        #expect(open.open(third))
        for peer in [one, one, other, third, third] { open.close(peer) }
        #expect(open.count == 0)
        #expect(open.takeHighest() == 5)
        #expect(open.takeHighest() == 0)
    }

    @Test("An IPv6 subscriber counts as one, with any number of addresses")
    func subscriber() throws {
        let open = OpenConnections(ConnectionLimits(total: 9, perAddress: 1)) { _ in false }
        let peers = try ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map(address)
        #expect(peers.map { open.open($0) } == [true, false, true])
    }

    @Test("A configured proxy is limited only by the total")
    func proxy() throws {
        let proxies = try #require(IPNetwork("10.0.0.0/8"))
        for rule in [
            ClientAddressRule(.header(.init("x-forwarded-for")!, from: [proxies])),
            ClientAddressRule(.headerFromAnyone(.init("x-forwarded-for")!)),
        ] {
            let open = OpenConnections(ConnectionLimits(total: 3, perAddress: 1), isProxy: rule.isProxy)
            let proxy = try address("10.1.2.3")
            #expect((0..<4).map { _ in open.open(proxy) } == [true, true, true, false])
        }
        let peer = try address("10.1.2.3")
        #expect(!ClientAddressRule(.peer).isProxy(peer))
    }

    @Test(
        "The limits leave file descriptors for everything else",
        arguments: [(256, 160, 80), (1_024, 832, 416), (65_536, 16_384, 1_024), (40, 16, 8)])
    func descriptors(_ descriptors: Int, _ total: Int, _ perAddress: Int) {
        #expect(ConnectionLimits(descriptors: descriptors) == ConnectionLimits(total: total, perAddress: perAddress))
    }
}
