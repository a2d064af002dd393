import CCommonPasswords
import GatehouseWire
import Testing

@testable import AccountDomain

@Suite("Password policy")
struct PasswordPolicyTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789"

    @Test(
        "A password is accepted, or refused with every reason in order",
        arguments: [
            (PasswordPolicy(), "first password 1", nil as PasswordRefusal?),
            (PasswordPolicy(), "grüße-kö", nil),
            (PasswordPolicy(), "xq7vtkr", .weak([.length])),
            (PasswordPolicy(), "ééééééé", .weak([.length])),
            (PasswordPolicy(), "", .weak([.length])),
            (PasswordPolicy(), "password", .weak([.pwned])),
            (PasswordPolicy(), "PassWord", .weak([.pwned])),
            (PasswordPolicy(refusesCommon: false), "password", nil),
            (PasswordPolicy(minimumLength: 10), "password", .weak([.length, .pwned])),
            (
                PasswordPolicy(minimumLength: 10, requiredCharacters: letters), "password",
                .weak([.length, .characters, .pwned])
            ),
            (PasswordPolicy(requiredCharacters: letters), "only lower and 1", .weak([.characters])),
            (PasswordPolicy(requiredCharacters: letters), "Strong Password 12", nil),
            (PasswordPolicy(requiredCharacters: "é"), "acute accent e\u{301}", nil),
            (PasswordPolicy(requiredCharacters: "e\u{301}"), "acute accent é", nil),
            (PasswordPolicy(), "e\u{301}e\u{301}e\u{301}e\u{301}", .weak([.length])),
            (PasswordPolicy(), String(repeating: "a", count: 1_024), nil),
            (PasswordPolicy(), String(repeating: "a", count: 1_025), .tooLong),
            (PasswordPolicy(), String(repeating: "\u{1F600}", count: 256), nil),
            (PasswordPolicy(), String(repeating: "é", count: 513), .tooLong),
            (PasswordPolicy(), "first\u{9}password", .controlCharacter),
            (PasswordPolicy(), "first password\n", .controlCharacter),
            (PasswordPolicy(), "short\u{85}", .controlCharacter),
            (PasswordPolicy(), "a family: \u{1F468}\u{200D}\u{1F469}\u{FE0F}", nil),
        ])
    func check(_ policy: PasswordPolicy, _ password: String, _ expected: PasswordRefusal?) {
        var refusal: PasswordRefusal?
        do throws(PasswordRefusal) { try policy.check(Secret(password)) } catch { refusal = error }
        #expect(refusal == expected)
    }

    @Test(
        "Passwords of both lists are refused in any case, and no others",
        arguments: [
            ("123456", true), ("qwerty123", true), ("MUSTANG", true), ("Jennifer", true), ("111111", true),
            ("zzzzzzzz", true), ("ytrhjvfyn", true), ("zz8807zpl", true), ("first password 1", false),
            ("qwerty1234x!", false),
            ("", false), ("\u{1F600}\u{1F600}", false),
        ])
    func common(_ password: String, _ isCommon: Bool) {
        var refusal: PasswordRefusal?
        do throws(PasswordRefusal) { try PasswordPolicy().check(Secret(password)) } catch { refusal = error }
        guard case .weak(let reasons) = refusal else { return #expect(!isCommon) }
        #expect(reasons.contains(.pwned) == isCommon)
    }

    @Test("There are more than 20,000 common passwords, sorted for the lookup")
    func commonTable() {
        let table = common_passwords()
        let text = UnsafeBufferPointer(start: table.digests, count: table.count * 7)
        let digests = text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        #expect(table.count > 20_000 && digests.count == table.count && digests.allSatisfy { $0.utf8.count == 6 })
        #expect(zip(digests, digests.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(
        "Neither the account's own address nor the app's name is a valid password",
        arguments: [
            ("ada.lovelace@example.com", true), ("Ada-Lovelace1815!", true), ("..ada.lovelace..", true),
            ("boxscore2026", true), ("Box Score!", true), ("adalovelace wrote notes", false), ("boxscores 1", false),
            ("12345678!?", false), ("mu\u{308}nchen 1860", true), ("MÜNCHEN!", true), ("munchen 1860", false),
        ])
    func ownNames(_ password: String, _ isRefused: Bool) {
        let policy = PasswordPolicy(refusesCommon: false, forbiddenWords: ["BoxScore", "", "a1", "mu\u{308}nchen"])
        var refusal: PasswordRefusal?
        do throws(PasswordRefusal) {
            try policy.check(Secret(password), of: "Ada.Lovelace@example.com")
        } catch {
            refusal = error
        }
        #expect(refusal == (isRefused ? .weak([.pwned]) : nil))
    }

    @Test(
        "A minimum below 6 is raised to 6, and 8 is the default",
        arguments: [
            (PasswordPolicy(), 8), (PasswordPolicy(minimumLength: 0), 6), (PasswordPolicy(minimumLength: -1), 6),
            (PasswordPolicy(minimumLength: 6), 6), (PasswordPolicy(minimumLength: 12), 12),
        ])
    func minimum(_ policy: PasswordPolicy, _ expected: Int) {
        #expect(policy.minimumLength == expected)
    }

    @Test(
        "Colons separate required sets, unless a backslash escapes them",
        arguments: [
            ("", []),
            (":", []),
            ("ab:12", ["ab", "12"]),
            ("::ab::12:", ["ab", "12"]),
            (#"ab\:c:12"#, ["ab:c", "12"]),
            (#"a\b:12"#, [#"a\b"#, "12"]),
            (#"';\\:"|:12"#, [#"';\:"|"#, "12"]),
            (#"ab\"#, [#"ab\"#]),
        ])
    func sets(_ text: String, _ expected: [String]) {
        #expect(PasswordPolicy(requiredCharacters: text).requiredSets == expected)
    }

    @Test(
        "The message matches Supabase Auth's, with bytes called bytes",
        arguments: [
            (PasswordPolicy(), .tooLong, "Password cannot be longer than 1024 bytes"),
            (PasswordPolicy(), .controlCharacter, "Password cannot contain control characters"),
            (PasswordPolicy(), .weak([.length]), "Password should be at least 8 characters."),
            (
                PasswordPolicy(minimumLength: 10, requiredCharacters: letters), .weak([.length, .characters]),
                "Password should be at least 10 characters. Password should contain at least one character of each: "
                    + "abcdefghijklmnopqrstuvwxyz, ABCDEFGHIJKLMNOPQRSTUVWXYZ, 0123456789."
            ),
            (
                PasswordPolicy(), .weak([.pwned]),
                "Password is known to be weak and easy to guess, please choose a different one."
            ),
        ] as [(PasswordPolicy, PasswordRefusal, String)])
    func message(_ policy: PasswordPolicy, _ refusal: PasswordRefusal, _ expected: String) {
        #expect(policy.message(for: refusal) == expected)
    }

    @Test("Reasons have a fixed order on the wire")
    func reasons() {
        #expect(WeakPasswordReason.allCases.map(\.rawValue) == ["length", "characters", "pwned"])
    }
}
