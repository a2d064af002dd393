import Foundation
import GatehouseCLI
import GatehouseServer
import GatehouseWire
import IdentityProviders
import Synchronization
import Testing

@Suite("Calls to providers", .timeLimit(.minutes(5)))
struct ProviderCallsTests {
    private static let here = OutgoingAddressRule(allowsLoopback: true)

    private func calls(
        rule: OutgoingAddressRule = here,
        sleep: @escaping @Sendable (Duration) async throws -> Void = LocalServer.never,
        resolve: @escaping @Sendable (String) async throws -> [IPAddress] = { _ in [] }
    ) -> ProviderCalls {
        ProviderCalls(rule: rule, http: OutgoingHTTP(sleep: sleep), resolve: resolve)
    }

    /// For the discovery document.
    private func request(below url: String, rule: OutgoingAddressRule = here) async throws -> ProviderRequest {
        let kept = Mutex<[ProviderRequest]>([])
        let settings = try ProviderSettings.google(clientIDs: ["web"], credential: .none, issuer: url)
        let provider = try OpenIDProvider(settings, rule: rule, now: { Instant(seconds: 0) }) { request in
            kept.withLock { $0.append(request) }
            throw ProviderTransportFailure.noConnection("not called")
        }
        await #expect(throws: ProviderFailure.self) { try await provider.metadata() }
        return try #require(kept.withLock(\.self).first)
    }

    private func failure(
        _ calls: ProviderCalls, _ request: ProviderRequest
    ) async -> ProviderTransportFailure? {
        do {
            _ = try await calls.send(request)
            return nil
        } catch {
            return error as? ProviderTransportFailure
        }
    }

    @Test("A response is returned whatever its status", arguments: [200, 404, 503])
    func statuses(status: Int) async throws {
        let server = try LocalServer([.status(status, body: #"{"a":1}"#)])
        let response = try await calls().send(request(below: server.url))
        #expect(response.status == status && response.body == Array(#"{"a":1}"#.utf8))
        let asked = try #require(await server.next())
        #expect(asked.hasPrefix("GET /.well-known/openid-configuration HTTP/1.1\r\n"))
        #expect(asked.lowercased().contains("\r\naccept: application/json\r\n"))
        #expect(!asked.lowercased().contains("\r\nauthorization:"))
    }

    @Test("A form is sent with its credentials, and only once")
    func form() async throws {
        let server = try LocalServer([.status(200)])
        let url = try #require(ProviderURL(server.url + "/revoke"))
        let settings = try ProviderSettings.openID(
            name: "acme", issuer: server.url, clientIDs: ["web"], credential: .secret(Secret("pass word")),
            endpoints: ProviderMetadata(issuer: server.url, keys: url, revocation: url))
        let provider = try OpenIDProvider(
            settings, rule: Self.here, now: { Instant(seconds: 0) }, transport: calls().send)
        _ = try await provider.revoke(Secret("a&b"), client: "web", at: Instant(seconds: 0))
        let asked = try #require(await server.next())
        #expect(asked.hasPrefix("POST /revoke HTTP/1.1\r\n"))
        let basic = Data("web:pass+word".utf8).base64EncodedString()
        let alternative = Data("web:pass%20word".utf8).base64EncodedString()
        #expect(asked.contains("Basic \(basic)\r\n") || asked.contains("Basic \(alternative)\r\n"))
        #expect(asked.lowercased().contains("\r\ncontent-type: application/x-www-form-urlencoded\r\n"))
        #expect(asked.contains("token=a%26b"))
    }

    @Test("A redirect is returned and not followed")
    func redirects() async throws {
        let server = try LocalServer([.status(302, headers: ["Location: /elsewhere"]), .status(200)])
        #expect(try await calls().send(request(below: server.url)).status == 302)
    }

    @Test("Cookies are not kept")
    func cookies() async throws {
        let server = try LocalServer([.status(200, headers: ["Set-Cookie: a=b; Path=/"]), .status(200)])
        let (calls, request) = (calls(), try await request(below: server.url))
        _ = try await calls.send(request)
        _ = try await calls.send(request)
        _ = await server.next()
        let second = try #require(await server.next())
        #expect(!second.lowercased().contains("\r\ncookie:"))
    }

    @Test("A long response is not read to its end")
    func tooLong() async throws {
        let server = try LocalServer([
            .status(200, body: String(repeating: "x", count: ProviderLimits.metadata + 1)),
            .status(200, body: String(repeating: "x", count: ProviderLimits.metadata)),
        ])
        let request = try await request(below: server.url)
        #expect(await failure(calls(), request) == .tooLong)
        #expect(try await calls().send(request).body.count == ProviderLimits.metadata)
    }

    @Test("A slow server times out")
    func timeLimit() async throws {
        let server = try LocalServer([.silence])
        let limit = Mutex<Duration?>(nil)
        let began = AsyncStream<Void>.makeStream()
        let calls = calls(sleep: { duration in
            limit.withLock { $0 = duration }
            for await _ in began.stream { return }
        })
        let request = try await request(below: server.url)
        async let failure = failure(calls, request)
        // The time limit expires only after the request has arrived.
        #expect(await server.next()?.hasPrefix("GET ") == true)
        began.continuation.yield()
        #expect(await failure == .timedOut)
        #expect(limit.withLock(\.self) == ProviderLimits.documentTime)
        #expect(await server.next() == "gone")
    }

    @Test("The time limit includes the name's resolution")
    func slowResolution() async throws {
        let calls = calls(
            sleep: { _ in },
            resolve: { _ in
                try await LocalServer.never(.zero)
                return []
            })
        #expect(await failure(calls, try await request(below: "https://id.example.org")) == .timedOut)
    }

    @Test("A call ends with its task")
    func cancellation() async throws {
        let server = try LocalServer([.silence])
        let (calls, request) = (calls(), try await request(below: server.url))
        let call = Task { try await calls.send(request) }
        #expect(await server.next()?.hasPrefix("GET ") == true)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(await server.next() == "gone")
    }

    @Test("Without a listener there is no connection")
    func nobody() async throws {
        let server = try LocalServer([.status(200)])
        let request = try await request(below: server.url)
        _ = try await calls().send(request)
        // The single response is sent and the port closed.
        while await server.next() != nil {}
        #expect(
            await failure(calls(), request) == .noConnection("Couldn't connect to server: Connection refused"))
    }

    @Test(
        "A name is called only if all its addresses are allowed",
        arguments: [
            (["10.0.0.1"], OutgoingAddressRule.Refusal.notPublic(host: "id.example.org")),
            (["93.184.216.34", "127.0.0.1"], .notPublic(host: "id.example.org")),
            (["93.184.216.34", "::1"], .notPublic(host: "id.example.org")),
            (["169.254.169.254"], .notPublic(host: "id.example.org")), ([], .noAddress(host: "id.example.org")),
        ])
    func addresses(found: [String], refusal: OutgoingAddressRule.Refusal) async throws {
        let calls = calls(
            rule: OutgoingAddressRule(),
            resolve: { host in
                #expect(host == "id.example.org")
                return found.compactMap { IPAddress($0) }
            })
        let request = try await request(below: "https://id.example.org", rule: OutgoingAddressRule())
        #expect(await failure(calls, request) == .addressRefused(refusal))
    }

    @Test("A refused address is not even resolved")
    func refusedAddress() async throws {
        let request = try await request(below: "http://127.0.0.1:1")
        let calls = calls(
            rule: OutgoingAddressRule(),
            resolve: { _ in
                Issue.record("a lookup")
                return []
            })
        #expect(await failure(calls, request) == .addressRefused(.notHTTPS(host: "127.0.0.1")))
    }

    @Test("A resolver failure is a connection failure")
    func resolverFails() async throws {
        let failed = NameResolution.Failed(code: EAI_AGAIN)
        let calls = calls(resolve: { _ in throw failed })
        let failure = await failure(calls, try await request(below: "https://id.example.org"))
        #expect(failure == .noConnection(String(cString: gai_strerror(EAI_AGAIN))))
    }

    @Test("The system resolves localhost")
    func systemResolver() async throws {
        let localhost = try await NameResolution.addresses(of: "localhost")
        #expect(!localhost.isEmpty && localhost.allSatisfy(\.isLoopback))
        #expect(try await NameResolution.addresses(of: "192.0.2.7") == [IPAddress("192.0.2.7")])
    }
}
