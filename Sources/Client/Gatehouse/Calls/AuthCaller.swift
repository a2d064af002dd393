import Foundation

/// Has no credentials.
struct AuthRequest: Sendable {
    var method: String
    /// Below the API's URL, such as `/user`.
    var path: String
    var query: [(name: String, value: String)] = []
    /// Null members are omitted.
    var body: AuthJSONObject?

    init(
        _ method: String, _ path: String, query: [(name: String, value: String?)] = [],
        body: [String: AuthJSON?]? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query.compactMap { pair in pair.value.map { (pair.name, $0) } }
        self.body = body.map { AuthJSONObject($0.compactMapValues { $0 }) }
    }

    /// The server then refuses a bound session's access token without a proof of its key.
    var changesAccount: Bool { method != "GET" || path == "/user/identities/authorize" }
}

/// Sends calls and parses responses, without a session.
struct AuthCaller: Sendable {
    let url: URL
    let key: String
    let clientInfo: String
    let transport: HTTPTransport
    let clock: ClientClock
    let isOffline: @Sendable () -> Bool
    let keys: DeviceKeys
    let proofs: KeyProofs

    static let apiVersion = "2024-01-01"

    init(
        url: URL, key: String, transport: @escaping HTTPTransport, clock: ClientClock,
        randomness: @escaping @Sendable (Int) -> [UInt8], isOffline: @escaping @Sendable () -> Bool,
        _ options: GatehouseClient.Options
    ) {
        self.url = url
        self.key = key
        self.transport = transport
        self.clock = clock
        self.isOffline = isOffline
        clientInfo = options.clientInfo
        keys = options.deviceKeys ?? DeviceKeys(options.sessionKeys, randomBytes: randomness)
        proofs = KeyProofs(clock: clock, randomBytes: randomness)
    }

    /// With a proof if a bound session changes something.
    ///
    /// - Parameter bearer: The user's access token; nil sends the app's key.
    func send(_ request: AuthRequest, bearer: String? = nil) async throws -> HTTPReply {
        guard request.changesAccount, let stored = proofs.key(of: bearer), let key = try opened(stored) else {
            return try await send(try call(request, bearer: bearer))
        }
        return try await send(request, bearer: bearer, provenBy: key.signer)
    }

    /// - Throws: ``AuthClientError``, `CancellationError`.
    func send(_ call: HTTPCall) async throws -> HTTPReply {
        let reply: HTTPReply
        let sent = clock.now()
        do {
            // Not every transport checks, and a replaced refresh could overlap the next.
            try Task.checkCancellation()
            reply = try await transport(call)
        } catch {
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            if let error = error as? AuthClientError { throw error }
            // Only explains the failure: the system may wrongly report no connection for hours.
            throw AuthClientError.offline(isOffline() ? .noConnection : .noAnswer(error.shortText))
        }
        proofs.note(reply, sent: sent)
        guard (200..<300).contains(reply.status) else { throw AuthClientError.refused(AuthRefusal(reply)) }
        return reply
    }

    func user(_ request: AuthRequest, bearer: String? = nil) async throws -> AuthUser {
        let reply = try await send(request, bearer: bearer)
        return try Self.read(reply) { json throws(WireProblem) in try AuthUser(json: json) }
    }

    static func read<Value>(
        _ reply: HTTPReply, _ read: (AuthJSON) throws(WireProblem) -> Value
    ) throws(AuthClientError) -> Value {
        let json: AuthJSON
        do { json = try JSONReader.read(reply.body) } catch { throw .unexpectedAnswer("the answer is no JSON") }
        do { return try read(json) } catch { throw .unexpectedAnswer(error.description) }
    }

    func call(_ request: AuthRequest, bearer: String?) throws(AuthClientError) -> HTTPCall {
        var headers = [
            "accept": "application/json", "apikey": key, "authorization": "Bearer \(bearer ?? key)",
            "x-client-info": clientInfo, "x-supabase-api-version": Self.apiVersion,
        ]
        if request.body != nil { headers["content-type"] = "application/json" }
        let body = request.body.map { Array(AuthJSON.object($0).text.utf8) }
        return HTTPCall(method: request.method, url: try address(request), headers: headers, body: body)
    }

    /// Values arrive byte for byte.
    func address(_ request: AuthRequest) throws(AuthClientError) -> URL {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += request.path
        let query = request.query.map { Self.encode($0.name) + "=" + Self.encode($0.value) }
        if !query.isEmpty { text += "?" + query.joined(separator: "&") }
        guard let address = URL(string: text) else { throw .unexpectedAnswer("no address can be made of the path") }
        return address
    }

    private static func encode(_ text: String) -> String {
        // Unlike a form's, a space is `%20`.
        FormText.escape(text).replacingOccurrences(of: "+", with: "%20")
    }
}

extension URL {
    /// https, or http to loopback (RFC 8252 §8.3).
    var isSafeForTokens: Bool {
        switch scheme?.lowercased() {
        case "https": host?.isEmpty == false
        case "http": isLoopback
        default: false
        }
    }

    var isLoopback: Bool { ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host?.lowercased() ?? "") }
}
