package import GatehouseWire
import IdentityProviders
import Synchronization

enum OutgoingURL {
    /// https, or http to loopback, which no one else can read.
    static func isAllowed(_ text: String) -> Bool {
        guard let url = ProviderURL(text) else { return false }
        return url.isSecure || ["localhost", "127.0.0.1", "::1"].contains(url.host)
    }
}

package enum OutgoingFailure: Error, Equatable, Sendable {
    /// Or a header is malformed.
    case notAllowed
    /// The response's body or header exceeds this number of bytes.
    case tooLong(Int)
    case timedOut
    /// No response, or an incomplete one. The cause is for the log.
    case noConnection(String)
    case status(Int)
}

package struct OutgoingCall: Sendable {
    package var method: String
    package let url: String
    package var headers: [String: String]
    package var body: [UInt8]?
    /// Of the response's body.
    package var maximumBytes: Int
    package var timeLimit: Duration
    /// Connect only to these; nil resolves the host. A proxy ignores them.
    package var addresses: [IPAddress]?
    /// If false, the call ends with the header, whatever the body is.
    package var readsBody = true
    /// Limits concurrent calls of one line; nil for the host's line.
    package var line: String?

    package init(
        method: String = "GET", url: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        maximumBytes: Int = 262_144, timeLimit: Duration = .seconds(10), addresses: [IPAddress]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.maximumBytes = maximumBytes
        self.timeLimit = timeLimit
        self.addresses = addresses
    }
}

/// Has a time limit and bounded responses; no redirects, cookies or cache.
package struct OutgoingHTTP: Sendable {
    package struct Answer: Sendable {
        package let status: Int
        /// Names are in lower case from the network. A repeated field's values are joined by commas.
        package let headers: [String: String]
        package let body: [UInt8]

        package init(status: Int, headers: [String: String] = [:], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Throws ``OutgoingFailure``, or `CancellationError` as soon as the caller is cancelled.
    package typealias Transport = @Sendable (OutgoingCall) async throws -> Answer

    let sleep: @Sendable (Duration) async throws -> Void
    private let transport: Transport

    package init(
        sleep: @escaping @Sendable (Duration) async throws -> Void, transport: @escaping Transport = Self.overNetwork
    ) {
        self.sleep = sleep
        self.transport = transport
    }

    /// Calls a URL that ``OutgoingURL`` allows: at most 10 seconds and 262,144 bytes of body.
    ///
    /// - Throws: ``OutgoingFailure``, ``TimeIsOver``, or `CancellationError`.
    package func send(
        _ method: String, _ url: String, headers: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        guard OutgoingURL.isAllowed(url) else { throw OutgoingFailure.notAllowed }
        let call = OutgoingCall(method: method, url: url, headers: headers, body: body)
        return try await limited(to: call.timeLimit, by: sleep) { try await answer(to: call) }
    }

    /// The caller checks the URL and limits the time; ``OutgoingCall/timeLimit`` only sets the connection's timeout.
    ///
    /// - Throws: As ``Transport``.
    package func answer(to call: OutgoingCall) async throws -> Answer { try await transport(call) }
}

extension OutgoingHTTP {
    /// Started by the first call.
    private static let thread = Mutex<CurlThread?>(nil)

    /// https uses the environment's proxy (`https_proxy`, `all_proxy`, `no_proxy`), which resolves the name itself.
    /// http is for loopback and uses none.
    @Sendable package static func overNetwork(_ call: OutgoingCall) async throws -> Answer {
        guard let url = ProviderURL(call.url) else { throw OutgoingFailure.notAllowed }
        var call = call
        // Not by libcurl: before version 7.87, its thread waits for the resolver when a call is cancelled.
        if call.addresses == nil, url.address == nil, !(url.isSecure && hasProxy) {
            call.addresses = try await addresses(of: url.host)
        }
        let thread = try Self.thread.withLock { thread in
            let started = try thread ?? CurlThread()
            thread = started
            return started
        }
        return try await thread.answer(to: call, at: url)
    }

    private static func addresses(of host: String) async throws -> [IPAddress] {
        do {
            let found = try await NameResolution.addresses(of: host)
            guard !found.isEmpty else { throw OutgoingFailure.noConnection("the name has no address") }
            return found
        } catch let failure as NameResolution.Failed {
            throw OutgoingFailure.noConnection(failure.description)
        }
    }

    /// As libcurl reads them for https.
    private static var hasProxy: Bool {
        let names: [String] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { name in getenv(name).map { $0.pointee != 0 } ?? false }
    }
}
