import AccountDomain
import AuthServer
import IdentityProviders
import PasswordHashing

extension Setting {
    package static let passwordMinimumLength = Setting(
        "password_min_length", .gotrue, .number(PasswordPolicy.minimums, 8),
        "Minimum length of a password in characters, 6 to 72.")
    package static let passwordRequiredCharacters = Setting(
        "password_required_characters", .gotrue, .text(),
        "Colon-separated sets of characters; a password needs one from each.")
    package static let passwordRefuseCommon = Setting(
        "password_refuse_common", .none, .flag(true),
        "Rejects the most common passwords (`weak_password`, reason `pwned`).")
    package static let passwordBreaches = Setting(
        "password_hibp_enabled", .gotrue, .flag(false),
        "Rejects new passwords that Have I Been Pwned knows (`weak_password`, reason `pwned`). It "
            + "receives 5 of 40 SHA-1 digits. Without a response within 2 seconds, the password is accepted "
            + "and counted in `gatehouse_breached_passwords_total`.")
    package static let passwordBreachesURL = Setting(
        "password_hibp_url", .none, .text(BreachedPasswords.url),
        "URL of the breached-password ranges. `outgoing_loopback` allows this machine.")
    package static let passwordForbiddenWords = Setting(
        "password_forbidden_words", .none, .text(),
        "Comma-separated words, such as the app's name, that a password must not consist of, digits and "
            + "symbols aside. Always includes `app_scheme`, the names in `site_url` and `external_url`, and "
            + "the account's email.")
    package static let passwordAnswerTime = Setting(
        "password_answer_time", .none, .durationOrZero("250ms"),
        "Password sign-ins respond after a multiple of this time, so timing reveals nothing. Up to `5s`; "
            + "`0`: immediately.")
    package static let hashMemory = Setting(
        "hash_memory", .none, .text("19MiB"),
        "Memory per Argon2id hash: `19MiB` (two passes) or `46MiB` (one pass; harder for special "
            + "hardware, a third slower), as OWASP recommends. Existing hashes are replaced at the next "
            + "sign-in.")
    package static let hashQueue = Setting(
        "hash_queue", .none, .number(1...10_000, 64),
        "Sign-ins that may wait per hashing thread, 1 to 10000; more get 429. Client addresses take turns; in "
            + "a full queue, the busiest loses a place.")
    package static let hashThreads = Setting(
        "hash_threads", .none, .number(1...1_000, nil),
        "Threads that hash passwords, 1 to 1000. Each uses `hash_memory`, and up to 64 MiB more for an "
            + "imported hash. Default: one per core.")
}

extension SettingsReader {
    mutating func hashCost() -> Argon2Settings {
        choice(.hashMemory, ["19MiB": Argon2Settings.owasp, "46MiB": .owaspMemory]) ?? .owasp
    }

    /// nil without such a service.
    mutating func breachedPasswords(_ rule: OutgoingAddressRule) -> String? {
        guard flag(.passwordBreaches), let given = text(.passwordBreachesURL) else { return nil }
        let isAllowed = ProviderURL(given).map { url in
            // Ignored: the message names both parts of the rule.
            (try? rule.check(url)) != nil
        }
        if isAllowed != true || given.utf8.last != UInt8(ascii: "/") {
            refuse(
                .passwordBreachesURL,
                "expected https, a public address, or \(Setting.outgoingLoopback.environmentName), and a slash at the end"
            )
        }
        return given
    }
}
