import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@Suite("Request bodies")
struct RequestBytesTests {
    private let router = TestRouter()

    private func send(_ body: RequestBody, _ headers: HTTPFields = [:]) async throws -> TestAnswer {
        let table = router.table([
            Route(.post, "/") { request, context in
                let members = try await request.jsonMembers(context)
                return Answer.text(try members.string("email") ?? "none")
            }
        ])
        return try await router.send(.post, "/", headers, body: body, to: table)
    }

    @Test("An object is read, whatever the content type says")
    func object() async throws {
        let answer = try await send(.text(#"{"email":"a@b"}"#), [.contentType: "application/x-www-form-urlencoded"])
        #expect(answer.body == "a@b")
    }

    @Test(
        "A body that is not an object is refused",
        arguments: [
            "", "nonsense", "[]", "1", #""text""#, "{", #"{"email":1}"#, "{} x", "{\"email\":\"\u{1}\"}",
            #"{"email":"\ud800"}"#,
            #"{"email":"\u0000"}"#, String(repeating: "[", count: 200),
        ])
    func malformed(_ text: String) async throws {
        let answer = try await send(.text(text))
        #expect(answer.status == 400)
        #expect(answer.headers[.supabaseErrorCode] == "bad_json")
    }

    @Test("Invalid UTF-8 is refused")
    func invalidText() async throws {
        let bytes = Array("{\"email\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8)
        #expect(try await send(RequestBody(buffer: ByteBuffer(bytes: bytes))).status == 400)
    }

    private func stream(_ chunks: [ByteBuffer], _ sent: @escaping @Sendable () -> Void = {}) -> RequestBody {
        let rest = Mutex(chunks[...])
        return RequestBody(
            asyncSequence: AsyncStream<ByteBuffer> {
                sent()
                return rest.withLock { $0.popFirst() }
            })
    }

    @Test("A body that declares too large a length is refused before it is read")
    func announced() async throws {
        let isRead = Mutex(false)
        let body = RequestBody(
            asyncSequence: AsyncStream<ByteBuffer> {
                isRead.withLock { $0 = true }
                return nil
            })
        let answer = try await send(body, [.contentLength: "1048577"])
        #expect(answer.status == 413)
        #expect(answer.headers[.supabaseErrorCode] == "request_entity_too_large")
        #expect(!isRead.withLock { $0 })
    }

    @Test("A body that grows too large is refused", arguments: [nil as String?, "5"])
    func streamed(_ announced: String?) async throws {
        let chunk = ByteBuffer(repeating: UInt8(ascii: " "), count: 262_144)
        let body = stream(Array(repeating: chunk, count: 4) + [ByteBuffer(string: "{")])
        #expect(try await send(body, announced.map { [.contentLength: $0] } ?? [:]).status == 413)
    }

    @Test("A body of exactly the limit is read")
    func limit() async throws {
        let text = #"{"email":"x"}"# + String(repeating: " ", count: 1_048_576 - 13)
        #expect(try await send(.text(text)).body == "x")
    }

    @Test("A slow body ends at the deadline")
    func drip() async throws {
        let clock = router.clock
        let body = stream(Array(repeating: ByteBuffer(string: " "), count: 100)) { clock.advance(by: .seconds(4)) }
        #expect(try await send(body, [.contentLength: "100"]).status == 504)
        #expect(clock.uptime() == .seconds(12))
    }

    @Test("A body that never arrives ends at the route's time limit")
    func stalled() async throws {
        let body = RequestBody(
            asyncSequence: AsyncThrowingStream<ByteBuffer, any Error> {
                for await _ in AsyncStream<Never>.makeStream().stream {}
                throw CancellationError()
            })
        let row = Route(.post, "/read", timeLimit: .seconds(10)) { request, context in
            _ = try await request.jsonMembers(context)
            return Answer.empty()
        }
        let answer = try await router.send(
            .post, "/read", [.contentLength: "9"], body: body, to: router.table("", sleep: { _ in }, [row]))
        #expect(answer.status == 504)
    }

    @Test("A broken connection is left to the HTTP server")
    func broken() async throws {
        struct Reset: Error {}
        let body = RequestBody(asyncSequence: AsyncThrowingStream<ByteBuffer, any Error> { throw Reset() })
        await #expect(throws: Reset.self) { try await send(body) }
    }
}
