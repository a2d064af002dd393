public import Foundation

/// A request. Does not print its tokens, body, or query values.
public struct HTTPCall: Hashable, Sendable {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    public var method: String
    /// The URL. Contains no token.
    public var url: URL
    /// By name in lower case.
    public var headers: [String: String]
    /// JSON, or nil.
    public var body: [UInt8]?

    /// Creates a request. Header names are in lower case.
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

/// A response. Does not print its body.
public struct HTTPReply: Hashable, Sendable {
    /// 100 to 599.
    public var status: Int
    /// By name in lower case.
    public var headers: [String: String]
    /// Empty if there was none.
    public var body: [UInt8]

    /// Creates a response. Header names are in any case.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { _, last in last }
        self.body = body
    }

    /// The server's time (RFC 9110 §6.6.1).
    var date: Date? { headers["date"].flatMap(HTTPDate.read) }

    /// At most 64 bytes.
    var sessionEnd: SessionEndReason? {
        guard let word = headers["x-gatehouse-session-end"], (1...64).contains(word.utf8.count) else { return nil }
        return SessionEndReason(rawValue: word)
    }

    /// At most 64 letters, digits, `-` and `_`.
    var requestID: String? {
        let ids = ["x-request-id", "sb-request-id"].lazy.compactMap { headers[$0] }
        return ids.first(where: \.isPlainWord)
    }

    /// In seconds (RFC 9110 §10.2.3).
    var retryAfter: Duration? {
        guard let seconds = headers["retry-after"].flatMap(Int64.init), seconds >= 0 else { return nil }
        return .seconds(min(seconds, 86_400))
    }
}

extension HTTPReply: Unprinted {
    public var description: String { "status \(status), \(body.count) bytes" }
}

/// Sends a request and returns the response, whatever its status.
///
/// Throws without a response, for example after a timeout; the server may have received the request. Must not follow
/// redirects, which would send tokens elsewhere.
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

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// nil for the two obsolete formats.
    static func read(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[1].count == 2, parts[3].count == 4,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Date(wire: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
}
