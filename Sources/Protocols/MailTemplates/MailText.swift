import GatehouseWire

/// A value in a mail: one line without control characters, of a bounded length.
///
/// Escaping works on bytes. swift-mustache's own works on characters, and leaves a quote alone that a combining mark
/// follows.
struct MailText: Equatable, Sendable, CustomStringConvertible {
    let description: String

    /// - Parameter limit: Bytes of UTF-8. The rest is cut off and not read.
    init(_ text: String, limit: Int) {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            if length > limit { break }
            if !scalar.isDeceptive {
                kept.append(scalar)
            } else if scalar.properties.generalCategory != .format {
                // A line break. Without a trace go the marks that turn the direction of text around.
                kept.append(" ")
            }
        }
        description = String(kept)
    }

    /// The most bytes of a subject.
    static let subjectLimit = 900

    /// One line without control characters. What is too long is cut: a long name keeps no mail from being sent.
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

    /// A text that consists of clean values and of our own words.
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

/// How a value enters its place in a template, as in Go's `html/template`. The raw values are the names of Mustache
/// transforms.
enum MailEscape: String, CaseIterable, Sendable {
    /// A text or a subject.
    case plain
    /// Text or a quoted attribute of HTML.
    case html
    /// A comment, such as those that only Outlook reads. Without hyphens a value cannot end it.
    case comment
    /// The path of a link.
    case path
    /// The query of a link.
    case query

    /// The most bytes that one byte becomes.
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
    /// With what separates parts of a URL (RFC 3986 §2.2), without quotes and parentheses.
    static let pathBytes = unreservedBytes.union("!#$&*+,/:;=?@[]%".utf8)
}
