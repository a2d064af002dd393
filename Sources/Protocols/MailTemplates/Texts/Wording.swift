struct Wording {
    let subject: String
    let title: String
    let paragraphs: [String]
    let button: String?
    /// A notice's details, such as a device.
    let facts: [(name: String, value: String)]
    /// What to do if it was someone else.
    let warning: String
}

struct MailWords {
    /// Before a code that follows a link.
    let codeHint: String
    /// Before the link's address.
    let linkHint: String
    let lifetime: String?
    let footer: String
}

extension MailLanguage {
    /// A scope in words; another name, such as a resource's, as it is.
    func words(for access: (name: String, text: String?)) -> String {
        access.text ?? TextCatalogue.mailed.text("scope.\(access.name)", in: self) ?? access.name
    }

    func words(_ kind: MailTemplateKind, _ names: MailNames) -> (Wording, MailWords) {
        func text(_ key: String) -> String? { TextCatalogue.mailed.text(key, in: self)?.filled { names[$0, self] } }
        func own(_ part: String) -> String? { text("\(kind.rawValue).\(part)") }
        let subject = TextCatalogue.mailed.text("\(kind.rawValue).subject", in: self) ?? ""
        let second = names.hasLink ? own("paragraph2") : own("paragraph2WithoutLink")
        let keeper = kind.variables.contains(.authenticator) ? names.authenticator : nil
        let facts = [
            ("phone", names.phone), ("oldPhone", names.oldPhone), ("access", names.access), ("authenticator", keeper),
            ("device", names.device), ("time", names.time),
        ]
        let wording = Wording(
            subject: subject.filled { $0 == "app" ? names.plainApp : names[$0, self] },
            title: own("title") ?? "",
            paragraphs: [own("paragraph1"), second].compactMap(\.self),
            button: own("button"),
            facts: kind.isNotice
                ? facts.compactMap { name, value in value.map { (text("shared.\(name)") ?? "", $0) } } : [],
            warning: own("warning") ?? "")
        let words = MailWords(
            codeHint: text("shared.codeHint") ?? "", linkHint: text("shared.linkHint") ?? "",
            lifetime: names.lifetime == nil ? nil : text("shared.lifetime"), footer: text("shared.footer") ?? "")
        return (wording, words)
    }
}
