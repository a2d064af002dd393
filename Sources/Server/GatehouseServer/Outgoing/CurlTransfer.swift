import CCurl
import CurlTransfers
import GatehouseWire
import IdentityProviders

struct CurlRequest: Sendable {
    let call: OutgoingCall
    let url: ProviderURL
    let outcome = FirstOutcome<OutgoingHTTP.Answer>()

    /// Contains a space, so it cannot be a host.
    var line: String { call.line.map { "line \($0)" } ?? url.host }
}

/// One thread creates, uses and frees it.
final class CurlTransfer {
    let request: CurlRequest
    let handle: CurlHandle
    private var answer: AnswerReader

    /// - Throws: ``OutgoingFailure`` for a malformed header, or if memory is short.
    init(_ request: CurlRequest) throws(OutgoingFailure) {
        let lines = try Self.headerLines(request.call)
        self.request = request
        answer = AnswerReader(maximumBytes: request.call.readsBody ? request.call.maximumBytes : nil)
        do throws(CurlFailure) {
            handle = try CurlHandle()
            try setConnection()
            try setRequest(lines)
            try setReceivers()
        } catch {
            throw .noConnection(error.cause)
        }
    }

    func outcome(_ code: CURLcode) -> Result<OutgoingHTTP.Answer, any Error> {
        if let status = answer.finalStatus {
            return .success(OutgoingHTTP.Answer(status: status, headers: answer.headers, body: []))
        }
        if let refusal = answer.refusal { return .failure(refusal) }
        switch code {
        case CURLE_OK:
            return .success(
                OutgoingHTTP.Answer(
                    status: transfer_status(handle.pointer), headers: answer.headers, body: answer.body))
        // libcurl's limit for a header line; 100 is CURLE_TOO_LARGE of libcurl 8.6.
        case CURLE_OUT_OF_MEMORY where answer.headerBytes > 0, CURLcode(rawValue: 100):
            return .failure(OutgoingFailure.tooLong(102_400))
        case CURLE_OPERATION_TIMEDOUT: return .failure(OutgoingFailure.timedOut)
        default: return .failure(OutgoingFailure.noConnection(cause(code)))
        }
    }

    /// Stable for the same failure: no durations, lengths, addresses or URL.
    private func cause(_ code: CURLcode) -> String {
        let proxyStatus = transfer_proxy_status(handle.pointer)
        return proxyStatus >= 300 ? "the proxy answered \(proxyStatus)" : handle.cause(code)
    }
}

// libcurl's defaults: no redirects, cookies, cache, netrc or content decoding; verifies certificate and name against
// the system's authorities.
extension CurlTransfer {
    private func setConnection() throws(CurlFailure) {
        let (call, url) = (request.call, request.url)
        try handle.set(CURLOPT_URL, url.text)
        // Keep the checked path with its dots.
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.check(transfer_set_http_only(handle.pointer))
        if !url.isSecure { try handle.set(CURLOPT_PROXY, "") }
        if let addresses = call.addresses, url.address == nil {
            let list = addresses.map { $0.isVersion4 ? "\($0)" : "[\($0)]" }.joined(separator: ",")
            // The plus sign lets the entry expire, so later calls without addresses do not use it.
            try handle.set(CURLOPT_RESOLVE, lines: ["+\(url.host):\(url.port):\(list)"])
        }
        try handle.set(CURLOPT_TIMEOUT_MS, max(1, Int(call.timeLimit / .milliseconds(1))))
        try handle.set(CURLOPT_NOSIGNAL, 1)
        // libcurl resolves the names of proxies, and of hosts that need none.
        try handle.check(transfer_leave_resolver(handle.pointer))
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // One connection per call: on one that the server is closing, libcurl would send a request twice, and a
        // provider's code is single-use. So HTTP/2 gains nothing.
        try handle.set(CURLOPT_FORBID_REUSE, 1)
        try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    }

    private func setRequest(_ headerLines: [String]) throws(CurlFailure) {
        let call = request.call
        try handle.set(CURLOPT_CUSTOMREQUEST, call.method)
        // Requests with these methods have a length even without a body (RFC 9110 §8.6).
        if let body = call.body ?? (["POST", "PUT", "PATCH"].contains(call.method) ? [] : nil) {
            try handle.set(CURLOPT_POSTFIELDSIZE, body.count)
            // One extra byte: an empty array may have no address.
            var bytes = body + [0]
            try handle.set(CURLOPT_COPYPOSTFIELDS, pointer: &bytes)
        }
        try handle.set(CURLOPT_USERAGENT, "gatehouse")
        try handle.set(CURLOPT_HTTPHEADER, lines: headerLines)
    }

    private static func headerLines(_ call: OutgoingCall) throws(OutgoingFailure) -> [String] {
        // libcurl omits a name without a value, and sends an empty field for a name with a semicolon.
        var lines = ["Connection: close", "Content-Type:", "Expect:"]
        for (name, value) in call.headers { lines.append(value.isEmpty ? name + ";" : "\(name): \(value)") }
        let isOneLineEach = lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
        guard isOneLineEach else { throw .notAllowed }
        return lines
    }

    private func setReceivers() throws(CurlFailure) {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try handle.set(CURLOPT_HEADERDATA, pointer: owner)
        try handle.set(
            CURLOPT_HEADERFUNCTION,
            receiver: { bytes, _, count, owner in CurlTransfer.receive(bytes, count, owner) { $0.addHeader($1) } })
        try handle.set(CURLOPT_WRITEDATA, pointer: owner)
        try handle.set(
            CURLOPT_WRITEFUNCTION,
            receiver: { bytes, _, count, owner in CurlTransfer.receive(bytes, count, owner) { $0.addBody($1) } })
    }

    /// - Returns: The accepted bytes. Fewer than `count` end the transfer.
    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ owner: UnsafeMutableRawPointer?,
        _ add: (inout AnswerReader, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let owner else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(owner).takeUnretainedValue()
        let goesOn = add(&transfer.answer, UnsafeRawBufferPointer(start: bytes, count: count))
        // For an empty part, 0 would accept it.
        return goesOn ? count : count + 1
    }
}
