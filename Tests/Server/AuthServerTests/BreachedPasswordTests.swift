import AuthServer
import GatehouseWire
import IdentityProviders
import Synchronization
import Testing

@Suite("Breached passwords")
struct BreachedPasswordTests {
    /// Of SHA-1("password"), without its first five digits.
    private static let rest = "1E4C9B93F3F0682250B6CF8331B7EE68FD8"
    private static let other = "1D2DA4053E34E76F6576ED1DA63134B5E2A"

    @Test("The service gets five digits of the SHA-1, asks for padding, and has two seconds")
    func request() async throws {
        let sent = Mutex<[ProviderRequest]>([])
        let service = BreachedPasswords { request in
            sent.withLock { $0.append(request) }
            return ProviderResponse(status: 200)
        }
        #expect(try await !service.contains(Secret("password")))
        let requests = sent.withLock { $0 }
        let request = try #require(requests.first)
        #expect(request.url.text == "https://api.pwnedpasswords.com/range/5BAA6")
        #expect(request.headers["add-padding"] == "true" && request.body == nil && request.authorization == nil)
        #expect(request.timeLimit == .seconds(2))
    }

    @Test(
        "A password is found by the other digits, unless they are padding",
        arguments: [
            ("\(other):2\r\n\(rest):10434004\r\n", true), ("\(rest):1", true), ("\(rest):1\n", true),
            ("\(rest):0\r\n", false),
            ("\(other):5\r\n", false), ("\(rest)", false), ("", false), ("<html>\(rest):1</html>", false),
            ("\(rest.dropLast()):1", false),
        ])
    func ranges(_ body: String, _ isFound: Bool) async throws {
        let service = BreachedPasswords { _ in ProviderResponse(status: 200, body: Array(body.utf8)) }
        #expect(try await service.contains(Secret("password")) == isFound)
    }

    @Test("Every Unicode form of a password has the same digits")
    func forms() async throws {
        let asked = Mutex<Set<String>>([])
        let service = BreachedPasswords { request in
            _ = asked.withLock { $0.insert(request.url.text) }
            return ProviderResponse(status: 200)
        }
        for form in ["P\u{E4}ssword", "Pa\u{308}ssword"] { _ = try await service.contains(Secret(form)) }
        #expect(asked.withLock { $0.count } == 1)
    }

    @Test("Any other answer is an error", arguments: [404, 429, 503])
    func errors(_ status: Int) async throws {
        let service = BreachedPasswords { _ in ProviderResponse(status: status, body: Array("\(Self.rest):1".utf8)) }
        await #expect(throws: UnusableRange(status: status)) { try await service.contains(Secret("password")) }
    }
}
