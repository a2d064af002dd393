import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Texts in ten languages", .timeLimit(.minutes(5)))
struct TextsTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Sources/Client/GatehouseUI")

    nonisolated private static let languages = ["es", "de", "ja", "ar", "fr", "it", "pt-BR", "zh-Hans", "ko"]

    private static var catalog: StringCatalog {
        get throws {
            let path = "../GatehouseModel/Resources/Localizable.xcstrings"
            return try StringCatalog(Data(contentsOf: folder.appending(path: path)))
        }
    }

    /// English and the language have the same word.
    private static func isShared(_ key: String, _ language: String) -> Bool {
        let shared = ["de": ["Account", "Code"], "fr": ["Code"], "it": ["Account", "Email", "Password"]]
        return ["OK", "Name"].contains(key) || shared[language]?.contains(key) == true
    }

    @Test("German calls an account and a code the same everywhere")
    func oneWord() throws {
        let catalog = try Self.catalog
        for key in catalog.keys {
            let text = catalog.text(for: key, in: Locale(identifier: "de")) ?? ""
            let others = ["Konto", "Bestätigungscode"].filter { text.contains($0) }
            // The provider's own term.
            #expect(others.isEmpty || text.contains("%@-Konto"), "\(key)")
        }
    }

    @Test(
        "E11: every text of a screen is in the catalogue, in every language",
        arguments: Self.languages)
    func complete(_ language: String) throws {
        let catalog = try Self.catalog
        let locale = Locale(identifier: language)
        for key in try Self.keysInSources + Self.keysOfModels {
            guard let text = catalog.text(for: key, in: locale) else {
                Issue.record("no text for \(key)")
                continue
            }
            #expect(text != key || Self.isShared(key, language), "\(key) in \(language)")
            #expect(text.contains("%@") == key.contains("%@"), "\(key) in \(language)")
        }
    }

    @Test("E11: no English is left on the screens in another language", arguments: Self.languages)
    func screens(_ language: String) async throws {
        let settings = Screen.Settings(locale: Locale(identifier: language))
        let english = Set(try Self.catalog.keys.filter { !Self.isShared($0, language) })
        let guest = await World(settings: settings)
        try await guest.screen.tap(try #require(guest.screen.buttons.last))
        #expect(english.isDisjoint(with: guest.screen.texts + guest.screen.buttons), "\(guest.screen.snapshot())")
        let user = await World(.signedIn(), settings: settings)
        try await user.screen.tap(try #require(user.screen.buttons.last))
        #expect(english.isDisjoint(with: user.screen.texts + user.screen.buttons), "\(user.screen.snapshot())")
    }

    @Test("E11: nor on the screens that change the account", arguments: Self.languages)
    func changes(_ language: String) async throws {
        let (catalog, locale) = (try Self.catalog, Locale(identifier: language))
        func text(_ key: String) -> String { catalog.text(for: key, in: locale) ?? key }
        let english = Set(catalog.keys.filter { !Self.isShared($0, language) })
        let world = await World(.signedIn(), settings: Screen.Settings(locale: locale))
        let screen = world.screen
        world.google.follow(.signsIn(.ada))
        try await world.manager.identities.link(.google, in: world.google)
        try await screen.tap(try #require(screen.buttons.last))
        try await screen.tap(text("Sign-In Methods"))
        try await screen.wait(for: text("Recently Added"))
        #expect(english.isDisjoint(with: screen.texts + screen.buttons), "\(screen.snapshot())")
        for (button, field) in [("Change Email", "New Email"), ("Change Password", "New Password")] {
            try await screen.tap(text(button))
            try await screen.type("x", into: text(field))
            #expect(english.isDisjoint(with: screen.texts + screen.buttons + screen.fields), "\(screen.snapshot())")
            try await screen.goBack()
        }
    }

    @Test("E11: nor on the screens for codes", arguments: Self.languages)
    func codes(_ language: String) async throws {
        let (catalog, locale) = (try Self.catalog, Locale(identifier: language))
        func text(_ key: String) -> String { catalog.text(for: key, in: locale) ?? key }
        let english = Set(catalog.keys.filter { !Self.isShared($0, language) })
        for way in [EmailSignIn.password, .code] {
            let world = await World(settings: Screen.Settings(locale: locale), emailSignIn: way)
            let screen = world.screen
            try await screen.tap(try #require(screen.buttons.last))
            try await screen.tap(text("Sign in with Email"))
            if way == .password { try await screen.tap(text("Forgot password?")) }
            try await screen.type("ada@example.com", into: text("Email"))
            #expect(english.isDisjoint(with: screen.texts + screen.buttons + screen.fields), "\(screen.snapshot())")
            try await screen.tap(text(way == .code ? "Email Me a Code" : "Send Email"))
            try await screen.wait { $0.has(field: text("Code")) }
            try await screen.type("123456", into: text("Code"))
            try await screen.wait(for: text("The code is wrong or has expired."))
            #expect(english.isDisjoint(with: screen.texts + screen.buttons + screen.fields), "\(screen.snapshot())")
        }
    }

    /// The texts in `Text(ui: "…")` and `announce("…")`.
    private static var keysInSources: [String] {
        get throws {
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            var keys: [String] = []
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let source = try String(contentsOf: file, encoding: .utf8)
                let pattern = /(?:Text\(\s*ui:|announce\()\s*"((?:[^"\\]|\\.)*)"/
                for found in source.matches(of: pattern) {
                    keys.append(String(found.1).replacing(/\\\((?:[^()]|\([^()]*\))*\)/, with: "%@"))
                }
            }
            return keys
        }
    }

    private static let keysOfPhones = [
        "We just sent you a message. Please wait before requesting another.",
        "You already use this phone number. Enter another one.", "Please enter a valid phone number.",
        "The message is on its way.", "Check your messages", "Use a Text Message", "Enter the code we texted you.",
    ]

    private static let keysOfPermissions = ["openid", "email", "profile", "phone", "offline_access"].map {
        OAuthScope(name: $0).content.key
    }

    private static var keysOfOthers: [String] { keysOfNotices + keysOfPhones + keysOfPermissions }

    private static var keysOfNotices: [String] {
        let kinds: [AuthSetAsideCredential.Kind] = [
            .password, .passkey(id: id, name: "x"), .passkey(id: id, name: nil), .identity(id: id, provider: "google"),
        ]
        var user = AuthenticatedUser(id: id)
        user.formerEmail = "ada@example.com"
        user.setAside = kinds.map { AuthSetAsideCredential($0, setAsideAt: .distantPast) }
        return user.notices.map(\.key)
    }

    private static let id = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000001")!

    private static var keysOfModels: [String] {
        let problems = AuthError.Code.allCases.flatMap { code in
            [AuthMethod.apple, .email, .phone].compactMap { SignInMessage($0, code)?.content.key }
        }
        let errors: [AuthError] = [
            .notAuthenticated, .forbidden, .freshSignInNeeded, .offline(.noConnection), .unknown(nil),
            .profileNotCreated, .emailDisabled, .codeWrong, .credentialSetAside(nil),
            .credentialSetAside(AuthSetAsideTicket("", expiresAt: .distantFuture)), .phoneInUse, .phoneDisabled,
            .phoneNotConfirmed, .textNotSent,
        ]
        var hints = [SignInMessage.linkNeedsFactor.content.key]
        for mode in [EmailAuthForm.Mode.signIn, .signUp] {
            var form = EmailAuthForm(mode: mode)
            hints.append(form.footer.key)
            (form.name, form.email) = (" ", "x")
            hints += form.fields.compactMap { form.hint(for: $0, password: "x", confirmation: "y")?.key }
        }
        let codes: [AuthErrorCode] = [
            .emailExists, .weakPassword, .samePassword, .currentPasswordRequired, .currentPasswordInvalid,
            .reauthenticationNeeded, .reauthenticationNotValid, .emailProviderDisabled, .singleIdentityNotDeletable,
        ]
        let changes = codes.flatMap { code in
            ["pwned", "characters", "length", "other"].compactMap { reason in
                let refusal = AuthRefusal(status: 422, code: code, weakPasswordReasons: [reason])
                return SignInMessage(changing: AuthClientError.refused(refusal))?.content.key
            }
        }
        let stores = [StoreProblem.Cause.locked, .notPermitted, .other].map { cause in
            SignInMessage(store: StoreProblem("", cause: cause)).content.key
        }
        return problems + errors.map(\.content.key) + hints + changes + stores + keysOfOthers + [
            "Password must be at least %lld characters.",
            "We just sent you an email. Please wait before requesting another.", "This can no longer be undone.",
            "To start over, cancel this, sign in with a code we email you, and try again within ten minutes.",
            LinkModel.recoveryWarning.key, ProofModel.startOverWarning.key, ProfileModel.signOutQuestion.key,
            ProfileModel.deletionQuestion.key,
            "Could Not Delete Account", "Could Not Save Profile", "Deleting account...",
        ]
    }
}
