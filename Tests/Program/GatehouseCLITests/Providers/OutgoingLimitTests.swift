import Dispatch
import Foundation
import GatehouseServer
import IdentityProviders
import Testing

@Suite("Limits of calls to other servers", .timeLimit(.minutes(5)))
struct OutgoingLimitTests {
    private static let well = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    private static func outcome(_ call: OutgoingCall) async -> Result<String, OutgoingFailure>? {
        do {
            return .success(String(decoding: try await OutgoingHTTP.patiently(call).body, as: UTF8.self))
        } catch {
            return (error as? OutgoingFailure).map { .failure($0) }
        }
    }

    private static let responses: [(beginning: String, rest: String, failure: OutgoingFailure)] = [
        ("HTTP/1.1 200 OK\r\n\r\n", "x", .tooLong(262_144)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "x", .tooLong(262_144)),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", .tooLong(262_144)),
        ("HTTP/1.1 200 OK\r\n", "X-A: 1\r\n", .tooLong(65_536)),
        ("", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", .tooLong(65_536)),
        // libcurl's limit of a line.
        ("HTTP/1.1 200 OK\r\nX-A: ", "x", .tooLong(102_400)),
    ]

    @Test("A response without an end is read little beyond its limit", arguments: Self.responses.indices)
    func endless(index: Int) async throws {
        let (beginning, rest, failure) = Self.responses[index]
        let sent = Events<Int>()
        let server = try RawServer { connection in
            _ = connection.readRequest()
            connection.send(beginning)
            sent.tell(connection.sendEndlessly(rest))
        }
        defer { server.stop() }
        #expect(await Self.outcome(OutgoingCall(url: server.url)) == .failure(failure))
        // The buffers of two sockets hold a few megabytes.
        #expect(try #require(await sent.next()) < 16 * 1_048_576)
    }

    @Test(
        "If the status alone counts, a call ends with the header, whatever follows",
        arguments: [
            "Content-Length: 99999999999\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\nno chunk\r\n",
            "Transfer-Encoding: gzip\r\n\r\nx", "Content-Length: 10\r\n\r\nx", "\r\n",
        ])
    func statusAlone(_ rest: String) async throws {
        for isOpen in [true, false] {
            let server = try RawServer { connection in
                _ = connection.readRequest()
                connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n" + rest)
                if isOpen { connection.readToEnd() }
            }
            defer { server.stop() }
            var call = OutgoingCall(method: "POST", url: server.url, body: [])
            call.readsBody = false
            let answer = try await OutgoingHTTP.patiently(call)
            #expect(answer.status == 202 && answer.body.isEmpty)
        }
    }

    @Test("Endless responses of one host delay no call to another")
    func endlessAndOther() async throws {
        let begun = Events<Void>()
        let endless = try RawServer { connection in
            _ = connection.readRequest()
            begun.tell(())
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            _ = connection.sendEndlessly("x")
        }
        defer { endless.stop() }
        let other = try RawServer { connection in
            _ = connection.readRequest()
            connection.send(Self.well)
        }
        defer { other.stop() }
        await withTaskGroup(of: Result<String, OutgoingFailure>?.self) { group in
            for _ in 0..<50 { group.addTask { await Self.outcome(OutgoingCall(url: endless.url)) } }
            _ = await begun.next()
            for _ in 0..<20 {
                #expect(await Self.outcome(OutgoingCall(url: other.url)) == .success("hi"))
            }
            for await outcome in group { #expect(outcome == .failure(.tooLong(262_144))) }
        }
        #expect(await Self.outcome(OutgoingCall(url: other.url)) == .success("hi"))
    }

    @Test("Silent servers delay no call to another, and lose their connections with their callers")
    func silentAndOther() async throws {
        let events = Events<String>()
        let silent = try RawServer { connection in
            _ = connection.readRequest()
            events.tell("asked")
            connection.readToEnd()
            events.tell("gone")
        }
        defer { silent.stop() }
        let other = try RawServer { connection in
            _ = connection.readRequest()
            connection.send(Self.well)
        }
        defer { other.stop() }
        let calls = (0..<50).map { _ in
            Task { try await OutgoingHTTP.patiently(OutgoingCall(url: silent.url)) }
        }
        for _ in calls { #expect(await events.next() == "asked") }
        #expect(await Self.outcome(OutgoingCall(url: other.url)) == .success("hi"))
        for call in calls { call.cancel() }
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        for _ in calls { #expect(await events.next() == "gone") }
    }

    @Test("A cancelled caller returns while the response arrives")
    func cancelledWhileReading() async throws {
        let events = Events<String>()
        let server = try RawServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")
            events.tell("sent")
            connection.readToEnd()
            events.tell("gone")
        }
        defer { server.stop() }
        let call = Task {
            try await OutgoingHTTP.patiently(OutgoingCall(url: server.url))
        }
        #expect(await events.next() == "sent")
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(await events.next() == "gone")
    }

    @Test("A cancelled caller returns while the connection is being made")
    func cancelledWhileConnecting() async throws {
        let server = try RawServer(backlog: 0, nil)
        defer { server.stop() }
        let occupying = server.fillBacklog()
        defer { for socket in occupying { close(socket) } }
        let begun = Events<Void>()
        let call = Task {
            begun.tell(())
            return try await OutgoingHTTP.patiently(OutgoingCall(url: server.url))
        }
        _ = await begun.next()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        let other = try RawServer { connection in
            _ = connection.readRequest()
            connection.send(Self.well)
        }
        defer { other.stop() }
        #expect(await Self.outcome(OutgoingCall(url: other.url)) == .success("hi"))
    }

    @Test("A call beyond the limit of its host waits for another one to end, and one with its own line does not")
    func callsPerHost() async throws {
        let events = Events<String>()
        let held = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            events.tell(connection.readRequest().head.components(separatedBy: " ")[1])
            held.wait()
            connection.send(Self.well)
        }
        defer { server.stop() }
        let thread = try CurlThread(callsPerHost: 1)
        let call = { @Sendable (path: String) async throws -> Int in
            let url = try #require(ProviderURL(server.url + path))
            var call = OutgoingCall(url: url.text, timeLimit: .seconds(3_600))
            if path == "/own" { call.line = "webhook app" }
            return try await thread.answer(to: call, at: url).status
        }
        let first = Task { try await call("/first") }
        #expect(await events.next() == "/first")
        let cancelled = Task { try await call("/cancelled") }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let second = Task { try await call("/second") }
        let own = Task { try await call("/own") }
        #expect(await events.next() == "/own")
        // One for each: a semaphore may let a later caller pass.
        for _ in 0..<3 { held.signal() }
        #expect(try await first.value == 200)
        #expect(try await own.value == 200)
        #expect(await events.next() == "/second")
        #expect(try await second.value == 200)
    }

    @Test("The calls of a host run in their order, up to its limit, and those of another beside them")
    func hostQueue() {
        var hosts = HostQueue<Int>(limit: 2, waitingLimit: 3)
        let entered = (1...6).map { hosts.enter($0, at: "a") } + [hosts.enter(7, at: "b")]
        #expect(entered == [.runs, .runs, .waits, .waits, .waits, .isRefused, .runs])
        let next = (0..<6).map { _ in hosts.leave("a") }
        #expect(next == [3, 4, 5, nil, nil, nil])
        let later = (7...9).map { hosts.enter($0, at: "a") }
        #expect(later == [.runs, .runs, .waits])
        let last = [hosts.leave("b"), hosts.leave("a")]
        #expect(last == [nil, 9])
    }

    @Test("A response with a transfer encoding besides chunks is refused, not decoded")
    func transferEncoding() async throws {
        let server = try RawServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
        }
        defer { server.stop() }
        let refused = OutgoingFailure.noConnection("the response has a transfer encoding")
        #expect(await Self.outcome(OutgoingCall(url: server.url)) == .failure(refused))
    }
}
