import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@Suite("Memory of request bodies")
struct BodyBudgetTests {
    private let router = TestRouter(bodies: BodyBudget(limit: 1_000_000))

    /// Responds with the body's length when `gate` ends.
    private func table(_ gate: AsyncStream<Never>? = nil, _ read: @escaping @Sendable () -> Void = {}) -> RouteTable {
        router.table([
            Route(.post, "/") { request, context in
                let count = try await request.bytes(context).count
                read()
                if let gate { for await _ in gate {} }
                return Answer.text("\(count)")
            }
        ])
    }

    private func body(_ count: Int) -> RequestBody { RequestBody(buffer: ByteBuffer(repeating: 0, count: count)) }

    @Test("While other bodies hold too many bytes a long one gets 503 with Retry-After, and a short one is read")
    func shedding() async throws {
        let (gate, end) = AsyncStream.makeStream(of: Never.self)
        let (reading, hasRead) = AsyncStream.makeStream(of: Void.self)
        let long = Task { try await router.send(.post, "/", body: body(900_000), to: table(gate) { hasRead.yield() }) }
        for await _ in reading { break }
        #expect(router.bodies.bytes == 900_000 - 8_192)
        let refused = try await router.send(.post, "/", body: body(200_000), to: table())
        #expect(refused.status == 503)
        #expect(refused.headers[.retryAfter] == "1")
        #expect(try await router.send(.post, "/", body: body(8_192), to: table()).body == "8192")
        end.finish()
        #expect(try await long.value.body == "900000")
        #expect(router.bodies.bytes == 0)
        #expect(try await router.send(.post, "/", body: body(900_000), to: table()).status == 200)
    }

    @Test("A refused, broken or failing request returns its bytes")
    func givenBack() async throws {
        struct Reset: Error {}
        let parts = Mutex(2)
        let broken = RequestBody(
            asyncSequence: AsyncThrowingStream<ByteBuffer, any Error> {
                let isOver = parts.withLock { left in
                    left -= 1
                    return left < 0
                }
                if isOver { throw Reset() }
                return ByteBuffer(repeating: 0, count: 200_000)
            })
        await #expect(throws: Reset.self) { try await router.send(.post, "/", body: broken, to: table()) }
        #expect(try await router.send(.post, "/", body: body(1_048_577), to: table()).status == 413)
        let failing = router.table([
            Route(.post, "/") { request, context in
                _ = try await request.bytes(context)
                throw Reset()
            }
        ])
        #expect(try await router.send(.post, "/", body: body(900_000), to: failing).status == 500)
        #expect(router.bodies.bytes == 0)
    }

    @Test("An announced body takes nothing from others")
    func announced() async throws {
        for _ in 0..<3 {
            let answer = try await router.send(.post, "/", [.contentLength: "1000000"], body: body(10), to: table())
            #expect(answer.status == 200)
        }
        #expect(router.bodies.takeHighest() == 0)
    }
}
