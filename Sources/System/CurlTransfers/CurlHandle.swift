package import CCurl
import Foundation

/// libcurl's handle of a transfer. One thread creates, uses and frees it.
package final class CurlHandle {
    package let pointer: UnsafeMutableRawPointer
    private let reason: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// - Throws: ``CurlFailure`` without memory.
    package init() throws(CurlFailure) {
        guard let pointer = curl_easy_init() else { throw CurlFailure("out of memory") }
        self.pointer = pointer
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try set(CURLOPT_ERRORBUFFER, pointer: reason)
    }

    deinit {
        curl_easy_cleanup(pointer)
        freeLists()
        reason.deallocate()
    }

    /// Resets all options and keeps the connection.
    package func reset() throws(CurlFailure) {
        curl_easy_reset(pointer)
        freeLists()
        reason.pointee = 0
        try set(CURLOPT_ERRORBUFFER, pointer: reason)
    }

    private func freeLists() {
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }
}

extension CurlHandle {
    package func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(Self.text(code)) }
    }

    package func set(_ option: CURLoption, _ number: Int) throws(CurlFailure) {
        try check(transfer_set_number(pointer, option, number))
    }

    /// libcurl copies the text.
    package func set(_ option: CURLoption, _ text: String?) throws(CurlFailure) {
        try check(transfer_set_text(pointer, option, text))
    }

    package func set(_ option: CURLoption, lines: [String]) throws(CurlFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        guard let list else { throw CurlFailure("out of memory") }
        lists.append(list)
        try check(transfer_set_pointer(pointer, option, list))
    }

    package func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer) throws(CurlFailure) {
        try check(transfer_set_pointer(pointer, option, value))
    }

    package func set(_ option: CURLoption, receiver: transfer_receiver) throws(CurlFailure) {
        try check(transfer_set_receiver(pointer, option, receiver))
    }
}

extension CurlHandle {
    /// libcurl's text for the code, for some with the reason. Constant for a given failure: without durations, lengths,
    /// addresses and the URL.
    package func cause(_ code: CURLcode) -> String {
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
            let number = transfer_errno(pointer)
            return Self.text(code) + (number == 0 ? "" : ": " + String(cString: strerror(number)))
        default: return Self.text(code)
        }
    }

    private static func printable(_ byte: UInt8) -> UInt8 {
        (0x20...0x7E).contains(byte) ? byte : UInt8(ascii: "?")
    }

    private static func text(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }
}
