import Testing

@testable import MailTemplates

@Suite("The catalogue of email texts")
struct EmailTextsTests {
    private static let texts = EmailTexts.builtIn.texts
    private static let common: Set = [
        "shared.codeHint", "shared.linkHint", "shared.lifetime", "shared.footer", "shared.device", "shared.time",
        "shared.authenticator", "factor.totp", "factor.webauthn", "factor.recovery_code",
    ]
    private static let placeholders: Set = [
        "app", "email", "sendingTo", "newEmail", "oldEmail", "provider", "factor", "removalTime", "lifetime",
    ]

    @Test("Every text is in all five languages, with the same placeholders")
    func languages() {
        #expect(Self.texts.count > 90)
        for (key, languages) in Self.texts {
            #expect(languages.count == MailLanguage.allCases.count, "\(key)")
            let used = languages.mapValues { text in
                var names: Set<String> = []
                _ = text.filled { name in
                    names.insert(name)
                    return ""
                }
                return names
            }
            #expect(Set(used.values).count == 1, "\(key)")
            #expect(used.values.allSatisfy { $0.isSubset(of: Self.placeholders) }, "\(key)")
        }
    }

    @Test("Every kind has its texts, and there are no others")
    func kinds() {
        var expected = Self.common
        for kind in MailTemplateKind.allCases {
            expected.formUnion(["subject", "title", "paragraph1", "warning"].map { "\(kind.rawValue).\($0)" })
            if kind.variables.contains(.confirmationURL) { expected.insert("\(kind.rawValue).button") }
        }
        let exists = MailTemplateKind.accountExists.rawValue
        expected.formUnion(["\(exists).paragraph2", "\(exists).paragraph2WithoutLink"])
        #expect(Set(Self.texts.keys).symmetricDifference(expected).sorted() == [])
    }

    @Test("A value that looks like a placeholder stays as it is")
    func filled() {
        #expect("{a} {b}".filled { $0 == "a" ? "{b}" : "2" } == "{b} 2")
        #expect("{a".filled { _ in "" } == "{a")
        #expect("".filled { _ in "x" } == "")
    }
}
