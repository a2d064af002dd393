import AccountDomain
import GatehouseServer
import GatehouseWire

extension ConfigDocument {
    /// - Parameters:
    ///   - name: For messages.
    ///   - environment: For `${NAME}`.
    ///   - readFile: For `file:PATH`, of secrets only.
    /// - Throws: ``DocumentProblems`` with all of them.
    package init(
        _ text: String, name: String, environment: [String: String],
        readFile: @escaping (String) throws -> String = GivenSettings.readSecret
    ) throws(DocumentProblems) {
        var reader = DocumentReader(references: References(environment: environment, readFile: readFile))
        do throws(YAMLProblem) {
            self = reader.document(try YAMLNode.read(text))
        } catch {
            throw DocumentProblems(name: name, problems: [DocumentProblem(error.line ?? 1, error.documentText)])
        }
        guard reader.problems.isEmpty else { throw DocumentProblems(name: name, problems: reader.problems) }
    }
}

private struct DocumentReader {
    let references: References
    private(set) var problems: [DocumentProblem] = []

    init(references: References) { self.references = references }

    private mutating func refuse(_ node: YAMLNode, _ text: String) { problems.append(DocumentProblem(node.line, text)) }

    private mutating func members(_ node: YAMLNode, _ expected: String) -> [(key: YAMLNode, value: YAMLNode)] {
        if case .mapping(let pairs) = node.content { return pairs }
        refuse(node, expected)
        return []
    }

    private mutating func elements(_ node: YAMLNode, _ expected: String) -> [YAMLNode] {
        if case .list(let nodes) = node.content { return nodes }
        refuse(node, expected)
        return []
    }

    mutating func document(_ root: YAMLNode) -> ConfigDocument {
        var document = ConfigDocument()
        for (key, value) in members(root, "") {
            switch key.text {
            case "settings": document.settings = settings(value)
            case "signing_keys": document.rotation = rotation(value)
            case "administrators": document.administrators = administrators(value)
            default: refuse(key, "\(key.text ?? "") is unknown; \(YAMLProblem.sections)")
            }
        }
        return document
    }

    private mutating func settings(_ node: YAMLNode) -> [WantedSetting] {
        var wanted: [WantedSetting] = []
        for (key, value) in members(node, "settings expected lines such as port: 9999") {
            let text = key.text ?? ""
            let setting = Setting.allCases.first { $0.key == text || ($0.isSecret && "\($0.key)_file" == text) }
            guard let setting else {
                refuse(key, "\(text) is not a setting" + Spelling.hint(text, known: Setting.allCases.map(\.key)))
                continue
            }
            if wanted.contains(where: { $0.setting == setting }) {
                refuse(key, "\(setting.key) is set together with \(setting.key)_file: keep one of them")
            }
            let found =
                text == setting.key && EntrySettings.all.contains(setting)
                ? entries(value, of: text)
                : self.value(value, of: text, isSecret: text == setting.key && setting.isSecret)
            wanted.append(WantedSetting(key: text, setting: setting, line: key.line, value: found))
        }
        return wanted
    }

    private mutating func value(_ node: YAMLNode, of key: String, isSecret: Bool) -> WantedSetting.Value {
        if node.text == ShownSetting.mask { return .kept }
        var nodes = [node]
        if case .list(let elements) = node.content { nodes = elements }
        let texts = nodes.map { node in
            if node.text == nil || node.text == ShownSetting.mask {
                refuse(node, "\(key) expected a text or a list of texts, masked as a whole or not at all")
            }
            return expanded(node.text ?? "", isSecret: isSecret, node)
        }
        return .text(texts.map(\.text).joined(separator: ","), isHidden: texts.contains(where: \.isHidden))
    }

    private mutating func entries(_ node: YAMLNode, of key: String) -> WantedSetting.Value {
        if node.text == ShownSetting.mask { return .kept }
        var wanted: [WantedEntry] = []
        for element in elements(node, "\(key) expected a list of mappings, without quotes") {
            let value = json(element, isSecret: false, depth: 0)
            guard let name = value["name"]?.stringValue, !name.isEmpty else {
                refuse(element, "\(key) expected mappings with a name")
                continue
            }
            if wanted.contains(where: { $0.name == name }) { refuse(element, "\(key) has two entries named \(name)") }
            wanted.append(WantedEntry(name: name, line: element.line, value: value))
        }
        return .entries(wanted)
    }

    /// Of texts, and of booleans without quotes.
    ///
    /// - Parameter depth: 1 for an entry's members, which can be masked.
    private mutating func json(_ node: YAMLNode, isSecret: Bool, depth: Int) -> AuthJSON {
        switch node.content {
        case .text("true", isPlain: true): return .bool(true)
        case .text("false", isPlain: true): return .bool(false)
        case .text(let text, _):
            if depth != 1, text == ShownSetting.mask { refuse(node, "only a whole member can be masked") }
            return .string(expanded(text, isSecret: isSecret, node).text)
        case .list(let nodes): return .array(nodes.map { json($0, isSecret: isSecret, depth: depth + 1) })
        case .mapping(let pairs):
            var members = AuthJSONObject()
            for (key, value) in pairs {
                let name = key.text ?? ""
                let isHidden = isSecret || !EntrySettings.shownMembers.contains(name)
                members[name] = json(value, isSecret: isHidden, depth: depth + 1)
            }
            return .object(members)
        }
    }

    private mutating func expanded(_ text: String, isSecret: Bool, _ node: YAMLNode) -> (text: String, isHidden: Bool) {
        do throws(References.Problem) {
            return try references.expand(text, isSecret: isSecret)
        } catch {
            refuse(node, error.text)
            return ("", true)
        }
    }

    private mutating func rotation(_ node: YAMLNode) -> WantedRotation? {
        let expected = "signing_keys expected rotate_after: and a duration of at least 24h, such as 2160h"
        let pairs = members(node, expected)
        let age = pairs.first?.value.text.flatMap { Duration(go: $0) }
        if pairs.count == 1, pairs[0].key.text == "rotate_after", let age, age >= .seconds(86_400) {
            return WantedRotation(age: age, line: pairs[0].key.line)
        }
        refuse(pairs.first?.key ?? node, expected)
        return nil
    }

    private mutating func administrators(_ node: YAMLNode) -> [WantedAdministrator] {
        var wanted: [WantedAdministrator] = []
        for element in elements(node, "administrators expected a list of emails") {
            guard let administrator = WantedAdministrator(element.text ?? "", line: element.line) else {
                refuse(element, "administrators expected emails or account IDs")
                continue
            }
            if wanted.contains(where: { $0.text == administrator.text }) {
                refuse(element, "\(administrator.text) is listed twice")
            }
            wanted.append(administrator)
        }
        return wanted
    }
}

extension YAMLProblem {
    fileprivate static let sections = "expected the sections settings, signing_keys and administrators"

    fileprivate var documentText: String { if case .notSettings = self { Self.sections } else { description } }
}
