import AccountDomain
import GatehouseWire

/// Where a page of a search begins.
enum SearchPlace: Sendable {
    /// Newest first; nil for the beginning.
    case time(Instant, UserID)
    case address(String)
    /// By name without ASCII case, then by id.
    case name(String, UserID)

    private var tag: UInt8 {
        switch self {
        case .time: 1
        case .address: 2
        case .name: 3
        }
    }

    fileprivate var bytes: [UInt8] {
        switch self {
        case .time(let time, let id):
            withUnsafeBytes(of: time.microseconds.bigEndian) { [tag] + id.bytes + Array($0) }
        case .address(let address): [tag] + Array(address.utf8)
        case .name(let name, let id): [tag] + id.bytes + Array(name.utf8)
        }
    }

    fileprivate init?(_ bytes: [UInt8]) {
        func id() -> UserID { UserID(bytes: Array(bytes[1..<17])) }
        switch bytes.first {
        case 1 where bytes.count == 25:
            let number = bytes[17...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self = .time(Instant(microseconds: Int64(bitPattern: number)), id())
        case 2: self = .address(String(decoding: bytes[1...], as: UTF8.self))
        case 3 where bytes.count >= 17: self = .name(String(decoding: bytes[17...], as: UTF8.self), id())
        default: return nil
        }
    }
}

extension AdminStore {
    /// In characters; the longest name has 1,024 bytes.
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
