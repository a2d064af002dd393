import AccountDomain
import AuthServer
import IdentityProviders
import PasswordHashing

extension Setting {
    package static let passwordMinimumLength = Setting(
        "password_min_length", .gotrue, .number(PasswordPolicy.minimums, 8),
        "Characters, 6 to 72.")
    package static let passwordRequiredCharacters = Setting(
        "password_required_characters", .gotrue, .text(),
        "Sets of characters with colons between them; one of each has to occur.")
    package static let passwordRefuseCommon = Setting(
        "password_refuse_common", .none, .flag(true),
        "Whether the most common passwords are refused (`weak_password`, reason `pwned`).")
    package static let passwordBreaches = Setting(
        "password_hibp_enabled", .gotrue, .flag(false),
        "Refuses new passwords that Have I Been Pwned knows from breaches (`weak_password`, reason `pwned`). The service gets "
            + "five of 40 digits of a password's SHA-1. Without an answer within 2 seconds the password is accepted, and "
            + "counted in `gatehouse_breached_passwords_total`.")
    package static let passwordBreachesURL = Setting(
        "password_hibp_url", .none, .text(BreachedPasswords.url),
        "Where the ranges of breached passwords are; `outgoing_loopback` allows this machine.")
    package static let passwordForbiddenWords = Setting(
        "password_forbidden_words", .none, .text(),
        "Comma-separated words that a password may not consist of, such as the app's name; digits and signs around "
            + "one do not help. `app_scheme`, the names in `site_url` and `external_url`, and each account's own "
            + "address count without being named.")
    package static let passwordAnswerTime = Setting(
        "password_answer_time", .none, .durationOrZero("250ms"),
        "Sign-ins with a password are answered after a multiple of this, a Go duration up to `5s`, so that their time "
            + "tells nothing about an account. `0` answers at once.")
    package static let hashMemory = Setting(
        "hash_memory", .none, .text("19MiB"),
        "Memory of a new password's Argon2id hash: `19MiB` with two passes or `46MiB` with one, OWASP's two settings. "
            + "Existing hashes are replaced at the next sign-in.")
    package static let hashQueue = Setting(
        "hash_queue", .none, .number(1...10_000, 64),
        "Sign-ins that may wait for each hashing thread before the next gets 429, 1 to 10000. Addresses take turns; "
            + "when all places are taken, the address with the most gives one up.")
    package static let hashThreads = Setting(
        "hash_threads", .none, .number(1...1_000, nil),
        "Threads that hash passwords, 1 to 1000; each takes `hash_memory` while it has work, and up to 64 MiB more while "
            + "it checks an imported hash, which a container's limit has to have room for. Without a value: as many as "
            + "the machine has cores.")
}

extension SettingsReader {
    mutating func hashCost() -> Argon2Settings {
        choice(.hashMemory, ["19MiB": Argon2Settings.owasp, "46MiB": .owaspMemory]) ?? .owasp
    }

    /// nil if no service is asked.
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
