public import Foundation

/// A request to the auth server or the gateway. Does not print its tokens, its body, or the values in its query.
public struct HTTPCall: Hashable, Sendable {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    public var method: String
    /// The URL. Contains no token.
    public var url: URL
    /// By name in lower case.
    public var headers: [String: String]
    /// JSON, or nil.
    public var body: [UInt8]?

    /// - Parameter headers: Names in lower case.
    public init(method: String, url: URL, headers: [String: String] = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

extension HTTPCall: Unprinted {
    public var description: String { "\(method) \(url.path)" }
}

/// The server's response. Does not print its body.
public struct HTTPReply: Hashable, Sendable {
    /// 100 to 599.
    public var status: Int
    /// By name in lower case.
    public var headers: [String: String]
    /// Empty when there was none.
    public var body: [UInt8]

    /// - Parameter headers: Names in any case.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { _, last in last }
        self.body = body
    }

    /// The server's time when it answered (RFC 9110 §6.6.1).
    var date: Date? { headers["date"].flatMap(HTTPDate.read) }

    /// Why the caller's session ended. A word of more than 64 bytes is not one of the server's.
    var sessionEnd: SessionEndReason? {
        guard let word = headers["x-gatehouse-session-end"], (1...64).contains(word.utf8.count) else { return nil }
        return SessionEndReason(rawValue: word)
    }

    /// The request's id in the server's log: at most 64 letters, digits, `-` and `_`. Anything else is not one.
    var requestID: String? {
        let ids = ["x-request-id", "sb-request-id"].lazy.compactMap { headers[$0] }
        return ids.first(where: \.isPlainWord)
    }

    /// The delay that the server requests, if given in seconds (RFC 9110 §10.2.3).
    var retryAfter: Duration? {
        guard let seconds = headers["retry-after"].flatMap(Int64.init), seconds >= 0 else { return nil }
        return .seconds(min(seconds, 86_400))
    }
}

extension HTTPReply: Unprinted {
    public var description: String { "status \(status), \(body.count) bytes" }
}

/// Sends a request to the server and returns the response, whatever its status.
///
/// Throws if there is no response, for example without a connection or after a timeout. The request may have reached
/// the server nevertheless. Must not follow redirects, which would send tokens to another URL.
///
/// ```swift
/// let transport = SystemDefaults.transport()
/// let logged: HTTPTransport = { call in
///     let reply = try await transport(call)
///     logger.debug("\(call) \(reply)")
///     return reply
/// }
/// ```
public typealias HTTPTransport = @Sendable (HTTPCall) async throws -> HTTPReply

/// The date format of HTTP headers: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Returns: nil for the two obsolete formats.
    static func read(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[1].count == 2, parts[3].count == 4,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Date(wire: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
}
