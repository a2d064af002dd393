import AccountDomain
import GatehouseWire

/// Where a page of a search begins.
enum SearchPlace: Sendable {
    /// Newest first; nil for the beginning.
    case time(Instant, UserID)
    case address(String)
    /// By term, then by id. The number is the query's ``SearchQuery/Driver``.
    case term(UInt8, String, UserID)

    private var tag: UInt8 {
        switch self {
        case .time: 1
        case .address: 2
        case .term: 4
        }
    }

    fileprivate var bytes: [UInt8] {
        switch self {
        case .time(let time, let id):
            withUnsafeBytes(of: time.microseconds.bigEndian) { [tag] + id.bytes + Array($0) }
        case .address(let address): [tag] + Array(address.utf8)
        case .term(let driver, let term, let id): [tag, driver] + id.bytes + Array(term.utf8)
        }
    }

    fileprivate init?(_ bytes: [UInt8]) {
        func id(_ start: Int = 1) -> UserID { UserID(bytes: Array(bytes[start..<(start + 16)])) }
        switch bytes.first {
        case 1 where bytes.count == 25:
            let number = bytes[17...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self = .time(Instant(microseconds: Int64(bitPattern: number)), id())
        case 2: self = .address(String(decoding: bytes[1...], as: UTF8.self))
        case 4 where bytes.count >= 18: self = .term(bytes[1], String(decoding: bytes[18...], as: UTF8.self), id(2))
        default: return nil
        }
    }
}

extension AdminStore {
    /// In characters; the longest address has 320 bytes.
    package static let longestCursor = 2_048

    private static let cursorName = "place in a search"

    func cursor(to place: SearchPlace) throws -> String {
        Base64URL.text(try secrets.seal(place.bytes, name: Self.cursorName, nonce: randomBytes(12)))
    }

    /// - Throws: ``MalformedCursor``.
    func place(of cursor: String) throws -> SearchPlace {
        guard cursor.utf8.count <= Self.longestCursor, let sealed = Base64URL.decode(cursor),
            // Ignored: with an unknown secret or changed text, the cursor is malformed.
            let bytes = try? secrets.open(sealed, name: Self.cursorName), let place = SearchPlace(bytes)
        else { throw MalformedCursor() }
        return place
    }
}
