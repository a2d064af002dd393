import AccountDomain
import AuthServer
import Foundation
import GatehouseWire

/// With Supabase's names.
extension Setting {
    package static let enrollTOTP = Setting(
        "mfa_totp_enroll_enabled", .gotrue, .flag(true),
        "Lets users add authenticator apps.")
    package static let verifyTOTP = Setting(
        "mfa_totp_verify_enabled", .gotrue, .flag(true),
        "Accepts codes from authenticator apps.")
    package static let enrollSecurityKeys = Setting(
        "mfa_web_authn_enroll_enabled", .gotrue, .flag(false),
        "Lets users add a security key or device as a second factor.")
    package static let verifySecurityKeys = Setting(
        "mfa_web_authn_verify_enabled", .gotrue, .flag(false),
        "Accepts security keys and devices as a second factor.")
    package static let mostFactors = Setting(
        "mfa_max_enrolled_factors", .gotrue, .number(1...100, 10),
        "Maximum second factors per account, verified or not, 1 to 100.")
    package static let mostVerifiedFactors = Setting(
        "mfa_max_verified_factors", .gotrue, .number(1...100, 10),
        "Maximum verified second factors per account, 1 to 100.")
    package static let challengeLifetime = Setting(
        "mfa_challenge_expiry_duration", .gotrue, .number(1...86_400, 300),
        "Lifetime of a challenge in seconds, at least 300.")
    package static let factorLifetime = Setting(
        "mfa_factor_expiry_duration", .gotrue, .duration("300s"),
        "How long an unverified factor is kept, at least `300s`.")
    package static let rateFactors = Setting(
        "mfa_rate_limit_challenge_and_verify", .gotrue, .number(0...1_000_000_000, 15),
        "Challenges, verifications, recovery codes and removals, each per client address and minute.")
    package static let lowLevelLimit = Setting(
        "sessions_allow_low_aal", .gotrue, .duration(),
        "Maximum lifetime of an `aal1` session whose user has a second factor. Default: like other sessions.")
    package static let factorRemovalDelay = Setting(
        "mfa_admin_removal_delay", .none, .duration(),
        "Delay before an administrator's removal of a verified factor takes effect. The user is emailed; "
            + "signing in with the factor cancels it. Default: no delay, no email.")
    package static let enrollRecoveryCodes = Setting(
        "mfa_recovery_codes_enroll_enabled", .gotrue, .flag(false),
        "Lets users with a second factor create recovery codes.")
    package static let verifyRecoveryCodes = Setting(
        "mfa_recovery_codes_verify_enabled", .gotrue, .flag(false),
        "Accepts recovery codes.")
    package static let recoveryCodeCount = Setting(
        "mfa_recovery_codes_count", .gotrue, .number(RecoveryCodeRules.counts, 10),
        "Codes per set, 4 to 16.")
    package static let recoveryCodeLength = Setting(
        "mfa_recovery_codes_code_length", .gotrue, .number(RecoveryCodeRules.lengths, 16),
        "Characters per code, 13 to 32.")
    package static let recoveryCodeAttempts = Setting(
        "mfa_recovery_codes_max_verify_attempts", .gotrue, .number(RecoveryCodeRules.attemptCounts, 5),
        "Failed attempts before the set is locked, 3 to 15.")
    package static let recoveryCodeLockout = Setting(
        "mfa_recovery_codes_lockout_duration", .gotrue, .duration("15m"),
        "How long the set is locked, `1m` to `24h`.")

    static let factors = [
        enrollTOTP, verifyTOTP, enrollSecurityKeys, verifySecurityKeys, mostFactors, mostVerifiedFactors,
        challengeLifetime, factorLifetime, rateFactors, lowLevelLimit, factorRemovalDelay, enrollRecoveryCodes,
        verifyRecoveryCodes, recoveryCodeCount, recoveryCodeLength, recoveryCodeAttempts, recoveryCodeLockout,
    ]
}

extension SettingsReader {
    mutating func factorRules(of auth: AuthSettings) -> FactorRules {
        var rules = FactorRules()
        rules.enrolling = kinds(.enrollTOTP, .enrollSecurityKeys, .enrollRecoveryCodes, .enrollPhone)
        rules.verifying = kinds(.verifyTOTP, .verifySecurityKeys, .verifyRecoveryCodes, .verifyPhone)
        rules.mostEnrolled = number(.mostFactors)
        rules.mostVerified = number(.mostVerifiedFactors)
        rules.challengeLifetime = .seconds(max(number(.challengeLifetime), 300))
        rules.unansweredStay = max(duration(.factorLifetime) ?? .zero, .seconds(300))
        rules.removalDelay = duration(.factorRemovalDelay)
        // An app's own scheme has no host.
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

    private mutating func kinds(
        _ totp: Setting, _ keys: Setting, _ codes: Setting, _ phone: Setting
    ) -> Set<Factor.Kind> {
        var kinds: Set<Factor.Kind> = []
        if flag(totp) { kinds.insert(.totp) }
        if flag(keys), text(.relyingPartyID) != nil { kinds.insert(.webAuthn) }
        if flag(codes) { kinds.insert(.recoveryCodes) }
        if flag(phone) { kinds.insert(.phone) }
        return kinds
    }

    /// Shown in authenticator apps and password managers.
    var appName: String? { text(.accountPagesName) ?? text(.smtpSenderName) }
}
