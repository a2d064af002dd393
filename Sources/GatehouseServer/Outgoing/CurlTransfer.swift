import CCurl
import Foundation
import GatehouseWire
import IdentityProviders

/// A request to a URL that has been parsed, and the place for its outcome.
struct CurlRequest: Sendable {
    let call: OutgoingCall
    let url: ProviderURL
    let outcome = FirstOutcome<OutgoingHTTP.Answer>()
}

/// A request that libcurl sends, and its response so far. One thread creates, uses and frees it.
final class CurlTransfer {
    let request: CurlRequest
    let handle: UnsafeMutableRawPointer
    private let reason: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var answer: AnswerReader

    /// - Throws: ``OutgoingFailure`` for a malformed header, or if memory is short.
    init(_ request: CurlRequest) throws(OutgoingFailure) {
        guard let handle = curl_easy_init() else { throw .noConnection("out of memory") }
        self.request = request
        self.handle = handle
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        answer = AnswerReader(maximumBytes: request.call.maximumBytes)
        try setConnection()
        try setRequest()
        try setReceivers()
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
        reason.deallocate()
    }

    /// The outcome of a transfer that ended with `code`.
    func outcome(_ code: CURLcode) -> Result<OutgoingHTTP.Answer, any Error> {
        if let refusal = answer.refusal { return .failure(refusal) }
        switch code {
        case CURLE_OK:
            return .success(
                OutgoingHTTP.Answer(
                    status: transfer_status(handle), headers: answer.headers, body: answer.body))
        // libcurl's limit for a line of the header; 100 is CURLE_TOO_LARGE of libcurl 8.6.
        case CURLE_OUT_OF_MEMORY where answer.headerBytes > 0, CURLcode(rawValue: 100):
            return .failure(OutgoingFailure.tooLong(102_400))
        case CURLE_OPERATION_TIMEDOUT: return .failure(OutgoingFailure.timedOut)
        default: return .failure(OutgoingFailure.noConnection(cause(code)))
        }
    }

    /// Says the same for the same failure: without durations, lengths, addresses and the URL.
    private func cause(_ code: CURLcode) -> String {
        let proxyStatus = transfer_proxy_status(handle)
        if proxyStatus >= 300 { return "the proxy answered \(proxyStatus)" }
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR:
            // Without the name and the address, which follow these words.
            let text = [" target host name", " in connection to"].reduce(String(cString: reason)) {
                $0.components(separatedBy: $1)[0]
            }
            // Parts of it may come from the other side's certificate.
            return text.isEmpty
                ? Self.text(code) : String(decoding: text.utf8.prefix(200).map(Self.printable), as: UTF8.self)
        case CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            let number = transfer_errno(handle)
            return Self.text(code) + (number == 0 ? "" : ": " + String(cString: strerror(number)))
        default: return Self.text(code)
        }
    }

    private static func printable(_ byte: UInt8) -> UInt8 {
        (0x20...0x7E).contains(byte) ? byte : UInt8(ascii: "?")
    }

    private static func text(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }

    private func check(_ code: CURLcode) throws(OutgoingFailure) {
        guard code == CURLE_OK else { throw .noConnection(Self.text(code)) }
    }

    private func set(_ option: CURLoption, _ number: Int) throws(OutgoingFailure) {
        try check(transfer_set_number(handle, option, number))
    }

    private func set(_ option: CURLoption, _ text: String) throws(OutgoingFailure) {
        try check(transfer_set_text(handle, option, text))
    }

    private func set(_ option: CURLoption, _ lines: [String]) throws(OutgoingFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        guard let list else { throw .noConnection("out of memory") }
        lists.append(list)
        try check(transfer_set_pointer(handle, option, list))
    }
}

// By default libcurl follows no redirects, has no cookies, no cache and no netrc, decodes no content encoding, trusts the
// system's certificate authorities and verifies the certificate and its name.
extension CurlTransfer {
    private func setConnection() throws(OutgoingFailure) {
        let (call, url) = (request.call, request.url)
        try set(CURLOPT_URL, url.text)
        // The path as it was checked, with its dots.
        try set(CURLOPT_PATH_AS_IS, 1)
        try check(transfer_set_http_only(handle))
        if !url.isSecure { try set(CURLOPT_PROXY, "") }
        if let addresses = call.addresses, url.address == nil {
            let list = addresses.map { $0.isVersion4 ? "\($0)" : "[\($0)]" }.joined(separator: ",")
            // With a plus sign the entry expires, and serves no later call that brings no addresses.
            try set(CURLOPT_RESOLVE, ["+\(url.host):\(url.port):\(list)"])
        }
        try set(CURLOPT_TIMEOUT_MS, max(1, Int(call.timeLimit / .milliseconds(1))))
        try set(CURLOPT_NOSIGNAL, 1)
        // libcurl resolves the names of proxies, and of hosts that need none.
        try check(transfer_leave_resolver(handle))
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // One connection for each call: on a connection that the server is about to close, libcurl would send a request
        // twice, and a code of a provider is valid once. HTTP/2 would then gain nothing.
        try set(CURLOPT_FORBID_REUSE, 1)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    }

    private func setRequest() throws(OutgoingFailure) {
        let call = request.call
        try set(CURLOPT_CUSTOMREQUEST, call.method)
        // With these methods a request without a body has a length too (RFC 9110 §8.6).
        if let body = call.body ?? (["POST", "PUT", "PATCH"].contains(call.method) ? [] : nil) {
            try set(CURLOPT_POSTFIELDSIZE, body.count)
            // One byte more, because an empty array may have no address.
            var bytes = body + [0]
            try check(transfer_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, &bytes))
        }
        try set(CURLOPT_USERAGENT, "gatehouse")
        // libcurl sends no field for a name without a value, and an empty one for a name with a semicolon.
        var lines = ["Connection: close", "Content-Type:", "Expect:"]
        for (name, value) in call.headers { lines.append(value.isEmpty ? name + ";" : "\(name): \(value)") }
        let isOneLineEach = lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
        guard isOneLineEach else { throw .notAllowed }
        try set(CURLOPT_HTTPHEADER, lines)
    }

    private func setReceivers() throws(OutgoingFailure) {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        try check(transfer_set_pointer(handle, CURLOPT_ERRORBUFFER, reason))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try check(transfer_set_pointer(handle, CURLOPT_HEADERDATA, owner))
        try check(
            transfer_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, _, count, owner in
                CurlTransfer.receive(bytes, count, owner) { $0.addHeader($1) }
            })
        try check(transfer_set_pointer(handle, CURLOPT_WRITEDATA, owner))
        try check(
            transfer_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, _, count, owner in
                CurlTransfer.receive(bytes, count, owner) { $0.addBody($1) }
            })
    }

    /// - Returns: The number of accepted bytes. Fewer than `count` end the transfer.
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
