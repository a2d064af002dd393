import GatehouseWire

/// An operator's text (`sms_template`), with `{{ .Code }}` where the code is.
package struct TextTemplate: Sendable {
    /// In bytes.
    package static let maximumLength = 1_000

    /// Between the codes.
    private let texts: [String]

    package init(_ source: String) throws(TextTemplateFault) {
        guard source.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard !source.unicodeScalars.contains(where: { $0.isDeceptive && $0 != "\n" }) else { throw .control }
        var (texts, rest) = ([String](), source[...])
        while let start = rest.utf8.firstRange(of: "{{".utf8) {
            guard let end = rest[start.upperBound...].utf8.firstRange(of: "}}".utf8) else { throw .notClosed }
            guard Self.isCode(rest[start.upperBound..<end.lowerBound]) else { throw .notCode }
            texts.append(String(rest[..<start.lowerBound]))
            rest = rest[end.upperBound...]
        }
        guard !texts.isEmpty else { throw .withoutCode }
        self.texts = texts + [String(rest)]
    }

    /// As in Go's templates, or Mustache's `{{Code}}`.
    private static func isCode(_ tag: Substring) -> Bool {
        let name = tag.utf8.filter { $0 != UInt8(ascii: " ") }
        return name.elementsEqual(".Code".utf8) || name.elementsEqual("Code".utf8)
    }

    func filled(_ code: Secret) -> Secret { Secret(texts.joined(separator: code.reveal())) }
}

/// The end of a sentence.
package enum TextTemplateFault: Error, Equatable, Sendable {
    case notClosed
    /// Another variable, or a function.
    case notCode
    case withoutCode
    case control
    case tooLong
}

extension TextTemplateFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notClosed: "{{ without }}"
        case .notCode: "only {{ .Code }} is supported"
        case .withoutCode: "needs {{ .Code }}"
        case .control: "a control character"
        case .tooLong: "longer than \(TextTemplate.maximumLength) bytes"
        }
    }
}
