import GatehouseWire
import Testing

@testable import MailTemplates

@Suite("The catalogue of email texts")
struct EmailTextsTests {
    private static let common: Set = [
        "shared.codeHint", "shared.linkHint", "shared.lifetime", "shared.footer", "shared.device", "shared.time",
        "shared.authenticator", "shared.phone", "shared.oldPhone", "shared.access", "scope.openid", "scope.email",
        "scope.profile", "scope.phone", "scope.offline_access", "factor.phone", "factor.totp", "factor.webauthn",
        "factor.recovery_code", "textMessage.code",
    ]
    private static let placeholders: Set = [
        "app", "email", "sendingTo", "newEmail", "oldEmail", "provider", "client", "factor", "removalTime", "lifetime",
        "code",
    ]

    private static func names(in text: String) -> Set<String> {
        var names: Set<String> = []
        _ = text.filled { name in
            names.insert(name)
            return ""
        }
        return names
    }

    @Test("Every text is in all languages, with the same placeholders")
    func languages() throws {
        let texts = TextCatalogue.mailed.texts
        #expect(texts.count == MailLanguage.allCases.count)
        let english = try #require(texts[.english]).mapValues(Self.names)
        #expect(english.count > 90)
        for (key, names) in english { #expect(names.isSubset(of: Self.placeholders), "\(key)") }
        for (language, translations) in texts {
            #expect(translations.mapValues(Self.names) == english, "\(language)")
        }
    }

    @Test("Every kind has its texts, and there are no others")
    func kinds() throws {
        var expected = Self.common
        for kind in MailTemplateKind.allCases {
            expected.formUnion(["subject", "title", "paragraph1", "warning"].map { "\(kind.rawValue).\($0)" })
            if !kind.variables.isDisjoint(with: [.confirmationURL, .appsURL, .reportURL]) {
                expected.insert("\(kind.rawValue).button")
            }
        }
        let exists = MailTemplateKind.accountExists.rawValue
        expected.formUnion(["\(exists).paragraph2", "\(exists).paragraph2WithoutLink"])
        // The others are the emailed link's page, whose keys are in English.
        let keys = try #require(TextCatalogue.mailed.texts[.english]).keys.map(\.text)
        let emails = keys.filter { $0.contains(ascii: ".") && !$0.contains(ascii: " ") }
        #expect(Set(emails).symmetricDifference(expected).sorted() == [])
    }

    @Test("A value that looks like a placeholder stays as it is")
    func filled() {
        #expect("{a} {b}".filled { $0 == "a" ? "{b}" : "2" } == "{b} 2")
        #expect("{a".filled { _ in "" } == "{a")
        #expect("".filled { _ in "x" } == "")
    }
}
