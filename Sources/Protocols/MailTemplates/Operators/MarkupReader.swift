/// Tracks how a value in HTML must be escaped, like the HTML standard's tokenizer (§13.2.5).
struct MarkupReader {
    enum Place: Equatable {
        case text
        /// After `<`.
        case opening
        case tag
        case attributeName
        /// After an attribute's name or its `=`.
        case attribute
        case quoted(UInt8)
        case unquoted
        case declaration
        case comment
        /// In an element whose text is not markup.
        case raw(String)
    }

    /// How far the template's own text of a link has come. Values may be empty, so they do not advance it.
    enum LinkPart: Equatable {
        case start
        /// Before the first `/`, where a colon would end a scheme.
        case first
        case path, query
        /// After `javascript:` and the like.
        case code
    }

    enum Event: Equatable {
        case text(UInt8)
        /// A `<` that begins no tag, and the byte after it.
        case lessThan(UInt8)
        case attribute(name: String, value: [UInt8])
        case tag(name: String, isEnd: Bool)
    }

    private(set) var place = Place.text
    private(set) var linkPart = LinkPart.start
    /// Lower case.
    private(set) var tagName = ""
    private(set) var attributeName = ""
    private var isEnd = false
    private var isNamed = false
    private var awaitsValue = false
    private var value: [UInt8] = []
    private var tail: [UInt8] = []

    func isLike(_ other: MarkupReader) -> Bool {
        guard place == other.place else { return false }
        guard case .quoted = place else { return true }
        return linkPart == other.linkPart && attributeName == other.attributeName
    }

    mutating func read(_ byte: UInt8) -> Event? {
        switch place {
        case .text: return readText(byte)
        case .opening: return readOpening(byte)
        case .tag, .attributeName, .attribute: return readTag(byte)
        case .quoted(let quote): return byte == quote ? endAttribute(.tag) : readValue(byte)
        case .unquoted:
            if byte == UInt8(ascii: ">") {
                let event = endAttribute(.tag)
                // A tag with an unquoted last attribute completes both events; callers need the attribute.
                _ = endTag()
                return event
            }
            return Self.isSpace(byte) ? endAttribute(.tag) : readValue(byte)
        case .declaration:
            if byte == UInt8(ascii: ">") { place = .text }
            keep(byte, 2)
            // Dashes directly after `<!` begin a comment. `<!-->` is a complete one.
            if byte != UInt8(ascii: "-") { tagName = "" }
            if tagName == "!", tail == Array("--".utf8) { place = .comment }
            return nil
        case .comment:
            keep(byte, 4)
            if tail.suffix(3) == Array("-->".utf8) || tail == Array("--!>".utf8) { (place, tail) = (.text, []) }
            return nil
        case .raw(let name): return readRaw(byte, name)
        }
    }

    /// A template's value is here.
    mutating func insertValue() { tail = [] }

    private mutating func keep(_ byte: UInt8, _ count: Int) {
        tail.append(byte)
        if tail.count > count { tail.removeFirst(tail.count - count) }
    }

    private mutating func readText(_ byte: UInt8) -> Event? {
        if byte == UInt8(ascii: "<") {
            (place, tagName, isEnd, isNamed, tail) = (.opening, "", false, false, [])
            return nil
        }
        return .text(byte)
    }

    private mutating func readOpening(_ byte: UInt8) -> Event? {
        switch byte {
        case UInt8(ascii: "/") where !isEnd: isEnd = true
        case UInt8(ascii: "!"), UInt8(ascii: "?"):
            (place, tagName) = (.declaration, byte == UInt8(ascii: "!") ? "!" : "?")
        case let letter where Self.isLetter(letter):
            place = .tag
            tagName = Self.lowercased(letter)
        case UInt8(ascii: "<"): break
        default:
            // A lone `<` is text, and so is what follows.
            place = .text
            return .lessThan(byte)
        }
        return nil
    }

    private mutating func readTag(_ byte: UInt8) -> Event? {
        switch byte {
        case UInt8(ascii: ">"): return endTag()
        case UInt8(ascii: "="):
            if place == .attributeName || place == .attribute { (place, awaitsValue) = (.attribute, true) }
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            guard place == .attribute, awaitsValue else { return nil }
            (place, linkPart, value) = (.quoted(byte), .start, [])
        case let space where Self.isSpace(space) || space == UInt8(ascii: "/"):
            isNamed = true
            if place == .attributeName { place = .attribute }
        default:
            if place == .attribute, awaitsValue {
                (place, linkPart, value) = (.unquoted, .start, [])
                return readValue(byte)
            }
            readName(byte)
        }
        return nil
    }

    private mutating func readName(_ byte: UInt8) {
        if place == .tag, !isNamed {
            if tagName.utf8.count < 32 { tagName += Self.lowercased(byte) }
            return
        }
        if place != .attributeName { (place, attributeName, awaitsValue) = (.attributeName, "", false) }
        if attributeName.utf8.count < 64 { attributeName += Self.lowercased(byte) }
    }

    private mutating func readValue(_ byte: UInt8) -> Event? {
        switch (linkPart, byte) {
        case (.code, _): break
        case (_, UInt8(ascii: "?")), (_, UInt8(ascii: "#")): linkPart = .query
        case (.start, UInt8(ascii: "/")), (.first, UInt8(ascii: "/")): linkPart = .path
        case (.start, UInt8(ascii: ":")), (.first, UInt8(ascii: ":")):
            let scheme = String(decoding: value.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
            linkPart = ["javascript", "vbscript", "data"].contains(scheme) ? .code : .path
        case (.start, _): if !Self.isSpace(byte) { linkPart = .first }
        default: break
        }
        value.append(byte)
        return nil
    }

    private mutating func endAttribute(_ next: Place) -> Event? {
        let event = Event.attribute(name: attributeName, value: value)
        (place, attributeName, awaitsValue, value) = (next, "", false, [])
        return event
    }

    private mutating func endTag() -> Event? {
        (place, attributeName, awaitsValue, tail) = (.text, "", false, [])
        if !isEnd, Self.rawElements.contains(tagName) { place = .raw(tagName) }
        return .tag(name: tagName, isEnd: isEnd)
    }

    private mutating func readRaw(_ byte: UInt8, _ name: String) -> Event? {
        keep(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte, name.utf8.count + 3)
        guard tail.dropLast() == Array("</\(name)".utf8)[...] else { return nil }
        (tagName, isEnd, isNamed) = (name, true, true)
        if byte == UInt8(ascii: ">") { return endTag() }
        if Self.isSpace(byte) || byte == UInt8(ascii: "/") { (place, tail) = (.tag, []) }
        return nil
    }

    static let rawElements: Set<String> = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes",
    ]

    private static func lowercased(_ byte: UInt8) -> String { String(decoding: [byte], as: UTF8.self).lowercased() }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension MarkupReader {
    /// - Throws: ``TemplateFault/place(_:)`` where no escaping makes a value safe.
    func escape(for variable: MailVariable) throws(TemplateFault) -> MailEscape {
        switch place {
        case .text: return .html
        // With an empty value, the hyphens around it would end the comment, or the brackets the element.
        case .comment where tail.last == UInt8(ascii: "-"): throw .place("cannot follow a hyphen in a comment")
        case .comment: return .comment
        case .raw(let name) where name == "title" || name == "textarea":
            if tail.contains(UInt8(ascii: "<")) { throw .place("cannot stand inside of a tag") }
            return .html
        case .raw(let name): throw .place("cannot stand inside of <\(name)>")
        case .opening, .tag, .attributeName, .declaration: throw .place("cannot stand inside of a tag")
        case .attribute, .unquoted: throw .place("in an attribute needs quotes around it")
        case .quoted:
            if attributeName.hasPrefix("on") || ["style", "srcset", "srcdoc"].contains(attributeName) {
                throw .place("cannot stand in the attribute \(attributeName)")
            }
            guard Self.links.contains(attributeName) else { return .html }
            switch linkPart {
            case .start where variable.isURL: return .html
            case .start: throw .place("of .\(variable.rawValue) cannot begin a link: it could lead anywhere")
            case .path: return .path
            case .first, .query: return .query
            case .code: throw .place("cannot stand in a link that is code")
            }
        }
    }

    private static let links: Set<String> = [
        "href", "src", "action", "formaction", "background", "poster", "cite", "data", "xlink:href",
    ]
}
