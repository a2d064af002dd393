/// Between `{{` and `}}`.
enum TemplateTag: Equatable {
    /// `{{ .Token }}`, as in Go's templates, or Mustache's `{{Token}}`.
    case value(TemplateName)
    /// `{{#Data.name}}` and `{{^Data.name}}`: shown with, or without, a value.
    case section(TemplateName, isInverted: Bool)
    case end(TemplateName)

    /// - Throws: ``TemplateFault`` that names unsupported constructs of Go and Mustache.
    init(_ inside: Substring) throws(TemplateFault) {
        if inside.hasPrefix("-") || inside.hasSuffix("-") { throw .unsupported("a trim marker ({{- or -}})") }
        let text = inside.trimmed
        guard let first = text.first else { throw .empty }
        switch first {
        case "#": self = .section(try TemplateName(text.dropFirst().trimmed), isInverted: false)
        case "^": self = .section(try TemplateName(text.dropFirst().trimmed), isInverted: true)
        case "/" where !text.hasPrefix("/*"): self = .end(try TemplateName(text.dropFirst().trimmed))
        default:
            if let construct = Self.construct(text) { throw .unsupported(construct) }
            self = .value(try TemplateName(text))
        }
    }

    private static func construct(_ text: Substring) -> String? {
        if text.hasPrefix("/*") { return "a comment" }
        if let name = signs[text.first ?? " "] { return name }
        let word = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        if actions.contains(word) { return "the action \"\(word)\"" }
        if text.contains("|") { return "a pipeline" }
        if functions.contains(word) { return "the function \"\(word)\"" }
        if text.contains(where: \.isWhitespace) { return "more than one value" }
        if text.contains("(") { return "a call" }
        if text.first?.isNumber == true { return "a number" }
        return text == "." ? "the value \".\"" : nil
    }

    private static let signs: [Character: String] = [
        "$": "a variable of the template ($)", "\"": "a literal text", "`": "a literal text",
        "'": "a literal character",
        "(": "an expression in parentheses", "{": "a value without escaping ({{{)", "&": "a value without escaping (&)",
        ">": "a partial template (>)", "<": "a parent template (<)", "=": "a change of the delimiters (=)",
        "!": "a comment", "%": "a pragma (%)",
    ]
    /// https://pkg.go.dev/text/template, Actions.
    private static let actions: Set<Substring> = [
        "if", "else", "end", "range", "break", "continue", "template", "block", "define", "with",
    ]
    /// The same page, Functions; and Supabase Auth's own.
    private static let functions: Set<Substring> = [
        "and", "call", "html", "index", "slice", "js", "len", "not", "or", "print", "printf", "println", "urlquery",
        "eq",
        "ne", "lt", "le", "gt", "ge", "true", "false", "nil",
    ]
}

/// Possibly with a metadata path: `.Data.address.city`.
struct TemplateName: Equatable, CustomStringConvertible {
    let variable: MailVariable
    let members: [String]

    /// - Throws: ``TemplateFault`` for an unknown variable, `.Data` without a member, and a member of a text.
    init(_ text: Substring) throws(TemplateFault) {
        let names = (text.hasPrefix(".") ? text.dropFirst() : text).split(
            separator: ".", omittingEmptySubsequences: false)
        guard let first = names.first, let variable = MailVariable(rawValue: String(first)) else {
            throw .unknown(String(text.prefix(64)))
        }
        self.variable = variable
        members = names.dropFirst().map(String.init)
        let isWritten = members.allSatisfy { name in
            !name.isEmpty && name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || Self.isAlphanumeric($0) }
        }
        guard isWritten, members.count <= 8, members.isEmpty == (variable != .data) else {
            throw variable == .data ? .metadata : .unknown(String(text.prefix(64)))
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// As Mustache reads it.
    var description: String { ([variable.rawValue] + members).joined(separator: ".") }
}

/// The end of a sentence.
enum TemplateFault: Error, Equatable {
    case empty
    case notClosed
    case unsupported(String)
    case unknown(String)
    case metadata
    /// These kinds lack the value.
    case absent(MailVariable, [MailTemplateKind])
    /// No link and no code.
    case withoutProof(Set<MailVariable>)
    case place(String)
    case unbalanced(String)
    case tooDeep
    case tooLong
    case notOneLine
    case control
    case unreadable(String)
}

extension TemplateFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .empty: "{{ }} is empty"
        case .notClosed: "{{ without }}"
        case .unsupported(let name):
            "\(name) is not supported; plain values such as {{ .Token }} are, and sections such as "
                + "{{#Data.first_name}}…{{/Data.first_name}}"
        case .unknown(let name):
            "unknown variable \(name); known are "
                + MailVariable.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
        case .metadata: ".Data needs a member of letters, digits and _, as in .Data.first_name"
        case .absent(let variable, let kinds):
            "a mail of the kind \(kinds.map(\.rawValue).joined(separator: ", ")) has no .\(variable.rawValue)"
        case .withoutProof(let variables):
            "needs one of " + variables.map { "{{ .\($0.rawValue) }}" }.sorted().joined(separator: ", ")
        case .place(let place): "a value \(place)"
        case .unbalanced(let what): what
        case .tooDeep: "sections are nested more than 16 deep"
        case .tooLong: "the mail could become longer than \(OperatorTemplate.outputLimit / 1_024) KiB"
        case .notOneLine: "a subject is one line"
        case .control: "a control character"
        case .unreadable(let reason): reason
        }
    }
}

extension Substring {
    var trimmed: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        var text = self.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
