import GatehouseWire

/// One line of bounded length without control characters.
///
/// Escapes bytes. swift-mustache escapes characters, and leaves a quote with a combining mark alone.
struct MailText: Equatable, Sendable, CustomStringConvertible {
    let description: String

    /// - Parameter limit: UTF-8 bytes. The rest is cut off unread.
    init(_ text: String, limit: Int) {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            if length > limit { break }
            if !scalar.isDeceptive {
                kept.append(scalar)
            } else if scalar.properties.generalCategory != .format {
                // A line break. Bidirectional controls leave no space.
                kept.append(" ")
            }
        }
        description = String(kept)
    }

    /// Bytes.
    static let subjectLimit = 900

    /// Cut, not refused: a long name must not prevent the email.
    init(subject: String) {
        let (limit, ellipsis) = (Self.subjectLimit, "…")
        var kept = String.UnicodeScalarView()
        var left = subject.utf8.count <= limit ? limit : limit - ellipsis.utf8.count
        for scalar in subject.unicodeScalars {
            left -= UTF8.width(scalar)
            if left < 0 { break }
            kept.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        description = String(kept) + (left < 0 ? ellipsis : "")
    }

    init(composed: String) { description = composed }

    func escaped(_ escape: MailEscape) -> MailText {
        switch escape {
        case .plain: self
        case .html: MailText(composed: Self.html(description.utf8))
        case .comment: MailText(composed: Self.html(description.utf8, keepsHyphens: false))
        case .path: MailText(composed: Self.html(Self.percent(description, keeping: MailEscape.pathBytes).utf8))
        case .query: MailText(composed: Self.percent(description, keeping: MailEscape.unreservedBytes))
        }
    }

    private static func html(_ bytes: some Sequence<UInt8>, keepsHyphens: Bool = true) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): result += Array("&amp;".utf8)
            case UInt8(ascii: "<"): result += Array("&lt;".utf8)
            case UInt8(ascii: ">"): result += Array("&gt;".utf8)
            case UInt8(ascii: "\""): result += Array("&quot;".utf8)
            case UInt8(ascii: "'"): result += Array("&#39;".utf8)
            case UInt8(ascii: "-") where !keepsHyphens: result += Array("&#45;".utf8)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func percent(_ text: String, keeping kept: Set<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            if kept.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// As in Go's `html/template`. The raw values name Mustache transforms.
enum MailEscape: String, CaseIterable, Sendable {
    case plain
    /// HTML text or quoted attribute.
    case html
    /// A comment, such as Outlook's. Without hyphens a value cannot end it.
    case comment
    case path
    case query

    /// The maximum bytes per input byte.
    var growth: Int {
        switch self {
        case .plain: 1
        case .html, .comment: 6
        case .path: 5
        case .query: 3
        }
    }

    /// RFC 3986 §2.3.
    static let unreservedBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    /// Plus URL delimiters (RFC 3986 §2.2), without quotes and parentheses.
    static let pathBytes = unreservedBytes.union("!#$&*+,/:;=?@[]%".utf8)
}
