import GatehouseWire

struct AnswerReader {
    /// All lines, including interim responses.
    private static let maximumHeaderBytes = 65_536

    private(set) var headers: [String: String] = [:]
    private(set) var body: [UInt8] = []
    private(set) var refusal: OutgoingFailure?
    private(set) var headerBytes = 0
    /// The status without a body, once the header has ended.
    private(set) var finalStatus: Int?
    private var status = 0
    private let maximumBytes: Int?

    /// - Parameter maximumBytes: nil ends the transfer after the header.
    init(maximumBytes: Int?) { self.maximumBytes = maximumBytes }

    /// - Returns: Whether the transfer may continue.
    mutating func addBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let maximumBytes else { return false }
        guard body.count + bytes.count <= maximumBytes else {
            refusal = .tooLong(maximumBytes)
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Ignores a malformed line.
    ///
    /// - Returns: Whether the transfer may continue.
    mutating func addHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            refusal = .tooLong(Self.maximumHeaderBytes)
            return false
        }
        if line.starts(with: "HTTP/".utf8) {
            // After an interim response (RFC 9110 §15.2).
            headers = [:]
            status = Self.status(line)
        } else if maximumBytes == nil, status >= 200, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            finalStatus = status
            return false
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), line[..<colon].allSatisfy(Self.isVisible) {
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = Self.trimmed(line[(colon + 1)...])
            headers[name] = headers[name].map { $0 + ", " + value } ?? value
            // libcurl would decode it, although no encoding was requested.
            if name == "transfer-encoding", maximumBytes != nil, value.lowercased() != "chunked" {
                refusal = .noConnection("the response has a transfer encoding")
                return false
            }
        }
        return true
    }

    /// 0 without a status.
    private static func status(_ line: UnsafeRawBufferPointer) -> Int {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { (0x30...0x39).contains($0) }.prefix(3)
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        guard let first = bytes.firstIndex(where: isPartOfValue), let last = bytes.lastIndex(where: isPartOfValue)
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    private static func isPartOfValue(_ byte: UInt8) -> Bool { byte > 0x20 }
}
