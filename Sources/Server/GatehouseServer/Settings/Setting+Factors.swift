import AccountDomain
import AuthServer
import Foundation
import GatehouseWire

/// The settings of second factors, with Supabase's names.
extension Setting {
    package static let enrollTOTP = Setting(
        "mfa_totp_enroll_enabled", .gotrue, .flag(true), "Whether users may add an authenticator app.")
    package static let verifyTOTP = Setting(
        "mfa_totp_verify_enabled", .gotrue, .flag(true), "Whether the codes of authenticator apps count.")
    package static let enrollSecurityKeys = Setting(
        "mfa_web_authn_enroll_enabled", .gotrue, .flag(false),
        "Whether users may add a security key or a device as a second factor.")
    package static let verifySecurityKeys = Setting(
        "mfa_web_authn_verify_enabled", .gotrue, .flag(false), "Whether the answers of such keys count.")
    package static let mostFactors = Setting(
        "mfa_max_enrolled_factors", .gotrue, .number(1...100, 10), "Second factors of an account, verified or not.")
    package static let mostVerifiedFactors = Setting(
        "mfa_max_verified_factors", .gotrue, .number(1...100, 10), "Verified second factors of an account.")
    package static let challengeLifetime = Setting(
        "mfa_challenge_expiry_duration", .gotrue, .number(1...86_400, 300),
        "Seconds in which a challenge can be answered; 300 at the least.")
    package static let factorLifetime = Setting(
        "mfa_factor_expiry_duration", .gotrue, .duration("300s"),
        "How long a second factor stays that nobody ever tried to use; 300s at the least.")
    package static let rateFactors = Setting(
        "mfa_rate_limit_challenge_and_verify", .gotrue, .number(0...1_000_000_000, 15),
        "Challenges of one address in a minute, as many answers, as many recovery codes, and as many removals.")
    package static let lowLevelLimit = Setting(
        "sessions_allow_low_aal", .gotrue, .duration(),
        "How long a session without a second factor lasts if its user has one. Without a value: as long as others.")
    package static let factorRemovalDelay = Setting(
        "mfa_admin_removal_delay", .none, .duration(),
        "How long the removal of a verified second factor by an administrator waits. The owner of the account gets a mail, "
            + "and a sign-in with the factor stops it. Without a value: no time, and no mail.")
    package static let enrollRecoveryCodes = Setting(
        "mfa_recovery_codes_enroll_enabled", .gotrue, .flag(false),
        "Whether users with a second factor may make recovery codes.")
    package static let verifyRecoveryCodes = Setting(
        "mfa_recovery_codes_verify_enabled", .gotrue, .flag(false), "Whether recovery codes count.")
    package static let recoveryCodeCount = Setting(
        "mfa_recovery_codes_count", .gotrue, .number(RecoveryCodeRules.counts, 10), "The codes of a set.")
    package static let recoveryCodeLength = Setting(
        "mfa_recovery_codes_code_length", .gotrue, .number(RecoveryCodeRules.lengths, 16), "The letters of a code.")
    package static let recoveryCodeAttempts = Setting(
        "mfa_recovery_codes_max_verify_attempts", .gotrue, .number(RecoveryCodeRules.attemptCounts, 5),
        "The wrong codes that lock a set.")
    package static let recoveryCodeLockout = Setting(
        "mfa_recovery_codes_lockout_duration", .gotrue, .duration("15m"),
        "How long a set is locked, from `1m` to `24h`.")

    static let factors = [
        enrollTOTP, verifyTOTP, enrollSecurityKeys, verifySecurityKeys, mostFactors, mostVerifiedFactors,
        challengeLifetime, factorLifetime, rateFactors, lowLevelLimit, factorRemovalDelay, enrollRecoveryCodes,
        verifyRecoveryCodes, recoveryCodeCount, recoveryCodeLength, recoveryCodeAttempts, recoveryCodeLockout,
    ]
}

extension SettingsReader {
    mutating func factorRules(of auth: AuthSettings) -> FactorRules {
        var rules = FactorRules()
        rules.enrolling = kinds(.enrollTOTP, .enrollSecurityKeys, .enrollRecoveryCodes)
        rules.verifying = kinds(.verifyTOTP, .verifySecurityKeys, .verifyRecoveryCodes)
        rules.mostEnrolled = number(.mostFactors)
        rules.mostVerified = number(.mostVerifiedFactors)
        rules.challengeLifetime = .seconds(max(number(.challengeLifetime), 300))
        rules.unansweredStay = max(duration(.factorLifetime) ?? .zero, .seconds(300))
        rules.removalDelay = duration(.factorRemovalDelay)
        // A URL of an app has no host to show.
        let site = auth.redirects.siteURL
        let host = URLParts(site.hasPrefix("http") ? site : auth.externalURL)?.host
        rules.issuer = TimeCode.label(appName ?? host ?? "")
        rules.recoveryCodes.count = number(.recoveryCodeCount)
        rules.recoveryCodes.length = number(.recoveryCodeLength)
        rules.recoveryCodes.attempts = number(.recoveryCodeAttempts)
        let lockout = duration(.recoveryCodeLockout) ?? .seconds(900)
        let range = RecoveryCodeRules.lockouts
        if lockout < .seconds(range.lowerBound) || lockout > .seconds(range.upperBound) {
            refuse(.recoveryCodeLockout, "expected a duration from 1m to 24h")
        }
        rules.recoveryCodes.lockout = lockout
        return rules
    }

    private mutating func kinds(_ totp: Setting, _ keys: Setting, _ codes: Setting) -> Set<Factor.Kind> {
        var kinds: Set<Factor.Kind> = []
        if flag(totp) { kinds.insert(.totp) }
        if flag(keys), text(.relyingPartyID) != nil { kinds.insert(.webAuthn) }
        if flag(codes) { kinds.insert(.recoveryCodes) }
        return kinds
    }

    /// The app's name next to accounts in authenticator apps and password managers; nil if no setting names it.
    var appName: String? { text(.accountPagesName) ?? text(.smtpSenderName) }
}
