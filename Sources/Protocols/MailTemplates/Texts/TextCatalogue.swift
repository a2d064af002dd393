package import GatehouseWire

/// Written by `Scripts/documentation/make-texts`: `{"languages":[…],"texts":{…}}`, with a text per language below each
/// key.
package struct TextCatalogue: Sendable {
    package var texts: [MailLanguage: [ExternalName: String]] = [:]

    package init(_ file: [UInt8]) throws {
        let json = try JSONReader.read(file)
        let languages =
            json["languages"]?.arrayValue?.map { $0.stringValue.flatMap(MailLanguage.init(rawValue:)) } ?? []
        for (key, translations) in json["texts"]?.objectValue ?? [:] {
            for (language, text) in zip(languages, translations.arrayValue ?? []) {
                guard let language else { continue }
                texts[language, default: [:]][ExternalName(trusted: key)] = text.stringValue
            }
        }
    }

    package func text(_ key: String, in language: MailLanguage) -> String? {
        texts[language]?[ExternalName(trusted: key)]
    }
}
