import Foundation
import GatehouseServer
import GatehouseWire
import IdentityProviders
import Testing

@Suite("HTTP calls to other servers", .timeLimit(.minutes(5)))
struct OutgoingHTTPTests {
    private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    private func failure(_ call: OutgoingCall) async -> OutgoingFailure? {
        do {
            _ = try await OutgoingHTTP.patiently(call)
            return nil
        } catch {
            return error as? OutgoingFailure
        }
    }

    /// Whole or byte by byte.
    private func server(_ response: String, inSingleBytes: Bool = false) throws -> RawServer {
        try RawServer { connection in
            _ = connection.readRequest()
            if inSingleBytes {
                for byte in response.utf8 { connection.send([byte]) }
            } else {
                connection.send(response)
            }
        }
    }

    @Test("Method, path, header and body arrive unchanged")
    func request() async throws {
        let requests = Events<(head: String, body: [UInt8])>()
        let server = try RawServer { connection in
            requests.tell(connection.readRequest())
            connection.send(Self.empty)
        }
        defer { server.stop() }
        let body = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) }
        _ = try await OutgoingHTTP.patiently(
            OutgoingCall(
                method: "POST", url: server.url + "/a/../b?c=%2F&d", headers: ["X-One": "1: 2", "X-Empty": ""],
                body: body))
        let request = try #require(await requests.next())
        #expect(request.body == body)
        let lines = request.head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        #expect(lines.first == "POST /a/../b?c=%2F&d HTTP/1.1")
        // Without cookies, a content encoding, and a wait for the server's consent to a long body.
        #expect(
            lines.dropFirst().sorted() == [
                "Accept: */*", "Connection: close", "Content-Length: 2000000", "Host: 127.0.0.1:\(server.port)",
                "User-Agent: gatehouse", "X-Empty:", "X-One: 1: 2",
            ])
    }

    @Test(
        "A method that may have a body announces its length",
        arguments: [("GET", false), ("DELETE", false), ("POST", true), ("PUT", true), ("PATCH", true)])
    func emptyBody(method: String, isAnnounced: Bool) async throws {
        let heads = Events<String>()
        let server = try RawServer { connection in
            heads.tell(connection.readRequest().head)
            connection.send(Self.empty)
        }
        defer { server.stop() }
        _ = try await OutgoingHTTP.patiently(OutgoingCall(method: method, url: server.url))
        let head = try #require(await heads.next())
        #expect(head.hasPrefix("\(method) / HTTP/1.1\r\n"))
        #expect(head.contains("\r\nContent-Length: 0\r\n") == isAnnounced)
        #expect(!head.contains("Content-Type"))
    }

    @Test(
        "An ambiguous URL and a header of two lines are refused",
        arguments: [
            ("ftp://127.0.0.1/", "1"), ("http://user@127.0.0.1/", "1"), ("http://2130706433/", "1"), ("127.0.0.1", "1"),
            ("http://127.0.0.1/", "1\r\nX-Two: 2"), ("http://127.0.0.1/", "1\u{0}"),
        ])
    func refused(url: String, value: String) async {
        #expect(await failure(OutgoingCall(url: url, headers: ["X-One": value])) == .notAllowed)
    }

    private static let readable: [(text: String, status: Int, headers: [String: String], body: String)] = [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\nx-a: \t 2 \r\nX-B:\r\n\r\nhi", 200,
            ["content-length": "2", "x-a": "1, 2", "x-b": ""], "hi"
        ),
        (
            "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n1\r\n!\r\n0\r\n\r\n", 201,
            ["transfer-encoding": "chunked"], "hi!"
        ),
        ("HTTP/1.0 404 Not Found\r\n\r\nto the end", 404, [:], "to the end"),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, [:], ""),
        ("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + empty, 200, ["content-length": "0"], ""),
        (
            "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n", 302,
            ["location": "/elsewhere", "set-cookie": "a=b", "content-length": "0"], ""
        ),
        // A few bytes could decode to any number.
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n???", 200,
            ["content-encoding": "gzip", "content-length": "3"], "???"
        ),
    ]

    @Test("A response is read whole, however it is sent", arguments: Self.readable.indices, [false, true])
    func responses(index: Int, inSingleBytes: Bool) async throws {
        let expected = Self.readable[index]
        let server = try server(expected.text, inSingleBytes: inSingleBytes)
        defer { server.stop() }
        let answer = try await OutgoingHTTP.patiently(OutgoingCall(url: server.url))
        #expect(answer.status == expected.status && answer.headers == expected.headers)
        #expect(String(decoding: answer.body, as: UTF8.self) == expected.body)
    }

    @Test(
        "A response that is none has a cause",
        arguments: [
            ("", "Server returned nothing (no headers, no data)"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", "Transferred a partial file"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "Failure when receiving data from the peer"
            ),
            ("SSH-2.0-OpenSSH_9.2\r\n", "Unsupported protocol"),
        ])
    func noResponse(text: String, cause: String) async throws {
        let server = try server(text)
        defer { server.stop() }
        #expect(await failure(OutgoingCall(url: server.url)) == .noConnection(cause))
    }

    @Test("A server without TLS gets no request over https")
    func withoutTLS() async throws {
        let server = try RawServer { connection in
            connection.send("SSH-2.0-OpenSSH_9.2\r\n")
            connection.readToEnd()
        }
        defer { server.stop() }
        let call = OutgoingCall(url: "https://127.0.0.1:\(server.port)/")
        let failure = await failure(call)
        guard case .noConnection(let cause) = failure else {
            Issue.record("a response, or another failure")
            return
        }
        #expect(cause.contains("SSL"))
    }

    @Test("A silent server ends with the call's own limit")
    func silence() async throws {
        let server = try RawServer { $0.readToEnd() }
        defer { server.stop() }
        let call = OutgoingCall(url: server.url, timeLimit: .milliseconds(50))
        await #expect(throws: OutgoingFailure.timedOut) { try await OutgoingHTTP.overNetwork(call) }
    }

    @Test("Only the given addresses are called, whatever the name resolves to")
    func addresses() async throws {
        let heads = Events<String>()
        let server = try RawServer { connection in
            heads.tell(connection.readRequest().head)
            connection.send(Self.empty)
        }
        defer { server.stop() }
        let here = try #require(IPAddress("127.0.0.1"))
        let url = "http://id.example.org:\(server.port)/"
        // Again with other addresses: nothing is kept.
        for addresses in [[here], [IPAddress("::1"), here].compactMap(\.self)] {
            _ = try await OutgoingHTTP.patiently(OutgoingCall(url: url, addresses: addresses))
            #expect(await heads.next()?.contains("\r\nHost: id.example.org:\(server.port)\r\n") == true)
        }
        let nobody = try #require(IPAddress("127.0.0.2"))
        let refused = OutgoingFailure.noConnection("Couldn't connect to server: Connection refused")
        #expect(await failure(OutgoingCall(url: url, addresses: [nobody])) == refused)
        // localhost is resolved for the call.
        _ = try await OutgoingHTTP.patiently(OutgoingCall(url: "http://localhost:\(server.port)/"))
        #expect(await heads.next() != nil)
    }

    @Test("Each call has its connection, so that a server that closes one gets no request twice")
    func separateConnections() async throws {
        let bodies = Events<String>()
        let server = try RawServer { connection in
            bodies.tell(String(decoding: connection.readRequest().body, as: UTF8.self))
            // Without announcing that the connection closes.
            connection.send(Self.empty)
        }
        defer { server.stop() }
        for number in 0..<20 {
            _ = try await OutgoingHTTP.patiently(
                OutgoingCall(method: "POST", url: server.url, body: Array("\(number)".utf8)))
            #expect(await bodies.next() == "\(number)")
        }
    }
}
