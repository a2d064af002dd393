import Mustache

struct OperatorTemplate: Sendable {
    enum Format: Sendable { case subject, text, html }

    /// Bytes.
    static let fileLimit = 256 * 1_024
    /// Bytes, with values of maximum length.
    static let outputLimit = 512 * 1_024

    private let template: MustacheTemplate

    /// - Parameters:
    ///   - text: At most ``fileLimit`` bytes.
    ///   - kinds: It may use only variables that all of them have.
    /// - Throws: ``TemplateFaults`` with every fault and its line.
    init(_ text: String, _ format: Format, for kinds: [MailTemplateKind]) throws(TemplateFaults) {
        // A subject's file ends with a line break.
        let text = format == .subject ? String(text[...].trimmed) : text.replacing("\r\n", with: "\n")
        var compiler = TemplateCompiler(format, kinds)
        compiler.read(text)
        guard compiler.faults.isEmpty else { throw TemplateFaults(compiler.faults) }
        do {
            template = try MustacheTemplate(string: compiler.mustache)
        } catch let error as MustacheTemplate.ParserError {
            throw TemplateFaults([.init(.unreadable("cannot be parsed: \(error.error)"), error.context.lineNumber)])
        } catch {
            throw TemplateFaults([.init(.unreadable("cannot be parsed"), 1)])
        }
        for kind in kinds {
            let sample = render(MailScope(values: .sample(kind), language: .english))
            if sample[...].utf8Range(of: "{{") != nil {
                throw TemplateFaults([.init(.unreadable("cannot be parsed: {{ remains"), 1)])
            }
        }
    }

    func render(_ scope: MailScope) -> String { template.render(scope) }
}

struct TemplateFaults: Error, Equatable {
    struct Located: Equatable {
        let fault: TemplateFault
        let line: Int

        init(_ fault: TemplateFault, _ line: Int) { (self.fault, self.line) = (fault, line) }
    }

    let faults: [Located]

    init(_ faults: [Located]) { self.faults = faults }
}

/// Gives each value its place's escaping.
private struct TemplateCompiler {
    private(set) var mustache = ""
    private(set) var faults: [TemplateFaults.Located] = []
    private let format: OperatorTemplate.Format
    private let kinds: [MailTemplateKind]
    private var markup = MarkupReader()
    private var open: [(name: TemplateName, markup: MarkupReader, line: Int)] = []
    private var used: Set<MailVariable> = []
    private var line = 1
    private var longest = 0

    init(_ format: OperatorTemplate.Format, _ kinds: [MailTemplateKind]) { (self.format, self.kinds) = (format, kinds) }

    mutating func refuse(_ fault: TemplateFault, line: Int) { faults.append(.init(fault, line)) }

    mutating func read(_ text: String) {
        var rest = text[...]
        while let start = rest.utf8Range(of: "{{") {
            readText(rest[..<start.lowerBound])
            let tail = rest[start.upperBound...]
            guard let end = tail.utf8Range(of: "}}") else {
                refuse(.notClosed, line: line)
                return
            }
            let inside = tail[..<end.lowerBound]
            // Mustache reads characters, so it ignores braces with a combining mark.
            if String.Index(start.lowerBound, within: text) == nil || String.Index(end.upperBound, within: text) == nil
            {
                refuse(.unreadable("a combining mark touches {{ }}"), line: line)
            }
            readTag(inside)
            line += inside.utf8.count { $0 == UInt8(ascii: "\n") }
            rest = tail[end.upperBound...]
        }
        readText(rest)
        finish()
    }

    private mutating func readText(_ text: Substring) {
        for byte in text.utf8 {
            if format == .subject, byte == UInt8(ascii: "\n") { refuse(.notOneLine, line: line + 1) }
            if byte == UInt8(ascii: "\n") {
                line += 1
            } else if byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F {
                refuse(.control, line: line)
            }
            if format == .html { _ = markup.read(byte) }
        }
        longest += text.utf8.count
        mustache += text
    }

    private mutating func readTag(_ inside: Substring) {
        do throws(TemplateFault) {
            switch try TemplateTag(inside) {
            case .value(let name):
                try check(name)
                let escape = try escape(for: name.variable)
                markup.insertValue()
                used.insert(name.variable)
                longest += name.variable.limit * escape.growth
                mustache += "{{{\(escape.rawValue)(\(name))}}}"
            case .section(let name, let isInverted):
                try check(name)
                guard open.count < 16 else { throw .tooDeep }
                open.append((name, markup, line))
                mustache += "{{\(isInverted ? "^" : "#")exists(\(name))}}"
            case .end(let name):
                guard let section = open.popLast(), section.name == name else {
                    throw .unbalanced("{{/\(name)}} does not end the innermost section")
                }
                guard section.markup.isLike(markup) else {
                    throw .unbalanced("the section \(name) has to begin and end in the same place of the markup")
                }
                mustache += "{{/exists(\(name))}}"
            }
        } catch {
            refuse(error, line: line)
        }
    }

    private func check(_ name: TemplateName) throws(TemplateFault) {
        let without = kinds.filter { !$0.variables.contains(name.variable) }
        guard without.isEmpty else { throw .absent(name.variable, without) }
    }

    private func escape(for variable: MailVariable) throws(TemplateFault) -> MailEscape {
        format == .html ? try markup.escape(for: variable) : .plain
    }

    private mutating func finish() {
        for section in open { refuse(.unbalanced("the section \(section.name) is not ended"), line: section.line) }
        if markup.place != .text { refuse(.unbalanced("ends inside of a tag or a comment"), line: line) }
        if longest > OperatorTemplate.outputLimit { refuse(.tooLong, line: line) }
        let proofs = kinds.reduce(into: Set<MailVariable>()) { $0.formUnion($1.proofs) }
        if format != .subject, faults.isEmpty, !proofs.isEmpty, proofs.isDisjoint(with: used) {
            refuse(.withoutProof(proofs), line: 1)
        }
    }
}

extension Substring {
    /// Finds ASCII bytes, whatever combines with them.
    fileprivate func utf8Range(of text: String) -> Range<Index>? {
        let (bytes, wanted) = (utf8, Array(text.utf8))
        var index = bytes.startIndex
        while let start = bytes[index...].firstIndex(of: wanted[0]) {
            let next = bytes.index(after: start)
            if next < bytes.endIndex, bytes[next] == wanted[1] { return start..<bytes.index(after: next) }
            index = next
        }
        return nil
    }
}
