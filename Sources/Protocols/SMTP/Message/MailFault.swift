import GatehouseWire

/// Does not contain the text.
package enum MailFault: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Part: String, Sendable {
        case address, name, subject, text, html, header
    }

    /// Could add a header or recipient.
    case controlCharacter(Part)
    /// `maximum` is in UTF-8 bytes.
    case tooLong(Part, maximum: Int)
    case malformed(Part)

    package var description: String {
        switch self {
        case .controlCharacter(let part): "the \(part.rawValue) has a control character"
        case .tooLong(let part, let maximum): "the \(part.rawValue) has more than \(maximum) bytes"
        case .malformed(let part): "the \(part.rawValue) is malformed"
        }
    }
}

extension MailFault {
    static func check(_ text: String, _ part: Part, maximum: Int) throws(MailFault) {
        guard text.utf8.count <= maximum else { throw .tooLong(part, maximum: maximum) }
        guard !text.unicodeScalars.contains(where: \.isControl) else { throw .controlCharacter(part) }
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
