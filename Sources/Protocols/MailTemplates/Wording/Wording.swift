/// What a built-in mail says in one language.
struct Wording {
    let subject: String
    let title: String
    let paragraphs: [String]
    /// The label of the link.
    var button: String?
    /// What a notice reports besides, such as a device.
    var facts: [(name: String, value: String)] = []
    /// What to do if it was someone else.
    let warning: String
}

/// The words that all mails of a language share.
struct MailWords {
    /// Before a code that follows a link.
    let codeHint: String
    /// Before the address of the link.
    let linkHint: String
    /// nil without a lifetime.
    let lifetime: String?
    let footer: String
}

/// The values of a mail as sentences contain them.
struct MailNames {
    /// Without marks, for a subject.
    let plainApp: String
    let app: String
    let email: String
    let sendingTo: String
    let newEmail: String
    let oldEmail: String
    let provider: String
    /// The kind of a second factor, as on the wire.
    let factorType: String
    let removalTime: String
    /// The product that keeps a passkey.
    let authenticator: String?
    let device: String?
    let time: String?
    let lifetime: String?
    let hasLink: Bool

    init(_ values: MailValues, _ language: MailLanguage) {
        func shown(_ variable: MailVariable) -> String? {
            guard let text = values.text(variable, in: language)?.description else { return nil }
            guard language.isRightToLeft, variable != .lifetime, variable != .time else { return text }
            // First strong isolate, pop directional isolate (Unicode UAX 9): a Latin name does not reorder the sentence.
            return "\u{2068}\(text)\u{2069}"
        }
        plainApp = values.text(.appName, in: language)?.description ?? ""
        app = shown(.appName) ?? ""
        email = shown(.email) ?? ""
        sendingTo = shown(.sendingTo) ?? ""
        newEmail = shown(.newEmail) ?? ""
        oldEmail = shown(.oldEmail) ?? ""
        provider = shown(.provider) ?? ""
        factorType = values.factorType ?? ""
        removalTime = shown(.removalTime) ?? ""
        authenticator = shown(.authenticator)
        device = shown(.device)
        time = shown(.time)
        lifetime = shown(.lifetime)
        hasLink = values.confirmationURL?.isEmpty == false
    }

    /// The facts that there are, with their names.
    func facts(
        authenticator keeperName: String = "", device deviceName: String, time timeName: String
    ) -> [(name: String, value: String)] {
        [(keeperName, authenticator), (deviceName, device), (timeName, time)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }
}

extension MailLanguage {
    func words(_ kind: MailTemplateKind, _ names: MailNames) -> (Wording, MailWords) {
        switch self {
        case .english: (EnglishMails.wording(kind, names), EnglishMails.words(names))
        case .spanish: (SpanishMails.wording(kind, names), SpanishMails.words(names))
        case .german: (GermanMails.wording(kind, names), GermanMails.words(names))
        case .japanese: (JapaneseMails.wording(kind, names), JapaneseMails.words(names))
        case .arabic: (ArabicMails.wording(kind, names), ArabicMails.words(names))
        }
    }
}
