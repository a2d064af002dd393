struct MailNames {
    /// Without marks, for a subject.
    let plainApp: String
    let authenticator: String?
    let phone: String?
    let oldPhone: String?
    let access: String?
    let device: String?
    let time: String?
    let lifetime: String?
    let hasLink: Bool
    /// As on the wire.
    private let factorType: String
    /// By placeholder in `Texts/Emails.xcstrings`.
    private let values: [String: String]

    init(_ values: MailValues, _ language: MailLanguage) {
        func shown(_ variable: MailVariable) -> String? {
            guard let text = values.text(variable, in: language)?.description else { return nil }
            guard language.isRightToLeft, ![.lifetime, .time, .access].contains(variable) else { return text }
            // First strong isolate, pop directional isolate (Unicode UAX 9): a Latin name does not reorder the
            // sentence.
            return "\u{2068}\(text)\u{2069}"
        }
        plainApp = values.text(.appName, in: language)?.description ?? ""
        factorType = values.factorType ?? ""
        authenticator = shown(.authenticator)
        (phone, oldPhone, access) = (shown(.phone), shown(.oldPhone), shown(.access))
        device = shown(.device)
        time = shown(.time)
        lifetime = shown(.lifetime)
        hasLink = values.confirmationURL?.isEmpty == false
        let named: [(String, MailVariable)] = [
            ("app", .appName), ("email", .email), ("sendingTo", .sendingTo), ("newEmail", .newEmail),
            ("oldEmail", .oldEmail), ("provider", .provider), ("client", .clientName),
            ("removalTime", .removalTime), ("lifetime", .lifetime),
        ]
        self.values = Dictionary(uniqueKeysWithValues: named.map { ($0, shown($1) ?? "") })
    }

    subscript(placeholder: String, language: MailLanguage) -> String {
        guard placeholder == "factor" else { return values[placeholder] ?? "" }
        let texts = TextCatalogue.mailed
        return texts.text("factor.\(factorType)", in: language) ?? texts.text("factor.totp", in: language) ?? ""
    }
}
