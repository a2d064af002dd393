/// An HTML email's text: links as addresses, one line per block.
struct PlainText {
    private var lines: [String] = [""]
    private var bytes: [UInt8] = []
    private var link: (address: String, text: String)?
    private var isInHead = false

    static func text(of html: String) -> String {
        var text = PlainText()
        var reader = MarkupReader()
        for byte in html.utf8 {
            guard let event = reader.read(byte) else { continue }
            text.take(event)
        }
        text.flush()
        return text.joined
    }

    private mutating func take(_ event: MarkupReader.Event) {
        switch event {
        case .text(let byte): if !isInHead { bytes.append(byte) }
        case .lessThan(let byte): if !isInHead { bytes += [UInt8(ascii: "<"), byte] }
        case .attribute(let name, let value):
            if name == "href", !isInHead {
                flush()
                link = (Self.decoded(value), "")
            }
        case .tag(let name, let isEnd): take(name, isEnd)
        }
    }

    private mutating func take(_ name: String, _ isEnd: Bool) {
        // The head's end tag may be missing.
        if name == "head" || name == "body" { isInHead = name == "head" && !isEnd }
        guard !isInHead else { return }
        flush()
        if name == "a", isEnd, let link {
            // A link whose text is its address appears once.
            if !link.text.isEmpty, link.text != link.address { lines[lines.count - 1] += ":" }
            if link.text != link.address { append(" " + link.address) }
            self.link = nil
        } else if name == "br" {
            lines.append("")
        } else if Self.blocks.contains(name), lines.last?.isEmpty == false {
            lines.append("")
            if name != "tr", name != "td", name != "th" { lines.append("") }
        }
    }

    private mutating func flush() {
        guard !bytes.isEmpty else { return }
        let text = Self.decoded(bytes)
        bytes = []
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isApart = text.first?.isWhitespace == true
        if !words.isEmpty {
            if let text = link?.text { link?.text = text + (isApart && !text.isEmpty ? " " : "") + words }
            append((isApart ? " " : "") + words)
        }
        if text.last?.isWhitespace == true { append(" ") }
    }

    private mutating func append(_ text: String) {
        let isBlank = lines[lines.count - 1].isEmpty || lines[lines.count - 1].hasSuffix(" ")
        lines[lines.count - 1] += isBlank ? String(text.drop { $0 == " " }) : text
    }

    private var joined: String {
        var result: [Substring] = []
        for line in lines.map({ $0[...].trimmed }) where !(line.isEmpty && result.last?.isEmpty != false) {
            result.append(line)
        }
        while result.last?.isEmpty == true { result.removeLast() }
        return result.joined(separator: "\n") + "\n"
    }

    private static let blocks: Set<String> = [
        "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "table", "tr", "td", "th", "blockquote",
        "pre", "hr", "section", "header", "footer", "main", "article", "center",
    ]
}

extension PlainText {
    private static let names: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "copy": "©", "reg": "®", "ndash": "–",
        "mdash": "—", "hellip": "…", "rarr": "→", "middot": "·", "bull": "•", "zwnj": "", "shy": "",
    ]

    private static func decoded(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text.unicodeScalars[...]
        while let sign = rest.firstIndex(of: "&") {
            result.unicodeScalars += rest[..<sign]
            let after = rest[rest.index(after: sign)...]
            let name = after.prefix(10).prefix { $0 != ";" && $0 != "&" }
            if name.endIndex < after.endIndex, after[name.endIndex] == ";", let meaning = meaning(String(name)) {
                result += meaning
                rest = after[after.index(after: name.endIndex)...]
            } else {
                result += "&"
                rest = after
            }
        }
        result.unicodeScalars += rest
        return result
    }

    private static func meaning(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return names[name] }
        let number = name.dropFirst()
        let value = number.first == "x" || number.first == "X" ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
        guard let scalar = value.flatMap(Unicode.Scalar.init) else { return nil }
        return scalar.properties.generalCategory == .control ? " " : String(Character(scalar))
    }
}
