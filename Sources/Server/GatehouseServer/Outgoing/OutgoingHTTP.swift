package import GatehouseWire
import IdentityProviders
import Synchronization

/// Decides which URLs this program may call.
enum OutgoingURL {
    /// https, or http to loopback, which no one else can read.
    static func isAllowed(_ text: String) -> Bool {
        guard let url = ProviderURL(text) else { return false }
        return url.isSecure || ["localhost", "127.0.0.1", "::1"].contains(url.host)
    }
}

package enum OutgoingFailure: Error, Equatable, Sendable {
    /// The URL must not be called, or a header is malformed.
    case notAllowed
    /// The body or the header of the response exceeds this number of bytes.
    case tooLong(Int)
    case timedOut
    /// No response, or an incomplete one. The cause is for the log.
    case noConnection(String)
    case status(Int)
}

/// A request to another server.
package struct OutgoingCall: Sendable {
    package var method: String
    package let url: String
    package var headers: [String: String]
    package var body: [UInt8]?
    /// Of the answer's body.
    package var maximumBytes: Int
    package var timeLimit: Duration
    /// The only addresses to connect to; nil for those that the system's resolver finds. A proxy ignores them.
    package var addresses: [IPAddress]?
    /// Whether the answer's body is read. Otherwise the call ends with the header, and the body may be of any kind.
    package var readsBody = true
    /// Concurrent calls of one line are limited; further ones wait. nil for the host's line.
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

/// An HTTP client with a time limit and bounded responses, without redirects, cookies or cache.
package struct OutgoingHTTP: Sendable {
    package struct Answer: Sendable {
        package let status: Int
        /// By name, in lower case from the network. The values of a repeated field are joined by commas.
        package let headers: [String: String]
        package let body: [UInt8]

        package init(status: Int, headers: [String: String] = [:], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Makes one call. Throws ``OutgoingFailure``, and `CancellationError` as soon as its caller is cancelled.
    package typealias Transport = @Sendable (OutgoingCall) async throws -> Answer

    let sleep: @Sendable (Duration) async throws -> Void
    private let transport: Transport

    /// - Parameter sleep: Returns after the given time: a call that takes longer is ended.
    package init(
        sleep: @escaping @Sendable (Duration) async throws -> Void, transport: @escaping Transport = Self.overNetwork
    ) {
        self.sleep = sleep
        self.transport = transport
    }

    /// Calls a URL that ``OutgoingURL`` allows. Limits the call to 10 seconds and the answer's body to 262,144 bytes.
    ///
    /// - Throws: ``OutgoingFailure``, ``TimeIsOver``, or `CancellationError`.
    package func send(
        _ method: String, _ url: String, headers: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> Answer {
        guard OutgoingURL.isAllowed(url) else { throw OutgoingFailure.notAllowed }
        let call = OutgoingCall(method: method, url: url, headers: headers, body: body)
        return try await limited(to: call.timeLimit, by: sleep) { try await answer(to: call) }
    }

    /// Calls any URL. The caller checks that the URL may be called, and limits the time; ``OutgoingCall/timeLimit``
    /// only sets the connection's own timeout.
    ///
    /// - Throws: ``OutgoingFailure``, or `CancellationError` as soon as the caller is cancelled.
    package func answer(to call: OutgoingCall) async throws -> Answer { try await transport(call) }
}

extension OutgoingHTTP {
    /// One for the program, started by the first call.
    private static let thread = Mutex<CurlThread?>(nil)

    /// The ``Transport`` of libcurl.
    ///
    /// https goes through the proxy that the environment names (`https_proxy`, `all_proxy`, `no_proxy`), which resolves
    /// the name itself. http is for loopback, so it uses no proxy.
    ///
    /// - Throws: As ``Transport``.
    @Sendable package static func overNetwork(_ call: OutgoingCall) async throws -> Answer {
        guard let url = ProviderURL(call.url) else { throw OutgoingFailure.notAllowed }
        var call = call
        // Not by libcurl, whose thread would wait for the resolver before version 7.87 when a call is cancelled.
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

    /// The variables that libcurl reads for https.
    private static var hasProxy: Bool {
        let names: [String] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { name in getenv(name).map { $0.pointee != 0 } ?? false }
    }
}
