import Gatehouse

extension AuthError {
    init?(factorCodeOf refusal: AuthRefusal) {
        guard let code = refusal.code else { return nil }
        switch code {
        case .insufficientAAL, AuthErrorCode(rawValue: "INSUFFICIENT_AAL"): self = .secondFactorNeeded
        case .mfaVerificationFailed, .mfaChallengeExpired, .mfaIPAddressMismatch: self = .codeWrong
        case .mfaRecoveryCodesLocked: self = .recoveryCodesLocked(retryAfter: refusal.retryAfter)
        case .mfaRecoveryCodesSoleFactor: self = .otherFactorNeeded
        case .mfaFactorNameConflict, .mfaVerifiedFactorExists: self = .nameTaken
        case .tooManyEnrolledMFAFactors, .tooManyPasskeys: self = .tooMany
        case .webauthnVerificationFailed, .webauthnChallengeExpired, .webauthnChallengeNotFound,
            .webauthnCredentialNotFound:
            self = .passkeyRefused
        case .webauthnCredentialExists: self = .passkeyExists
        case .passkeyDisabled, .mfaTOTPEnrollNotEnabled, .mfaTOTPVerifyNotEnabled, .mfaWebAuthnEnrollNotEnabled,
            .mfaWebAuthnVerifyNotEnabled, .mfaPhoneEnrollNotEnabled, .mfaPhoneVerifyNotEnabled,
            .mfaRecoveryCodesEnrollNotEnabled, .mfaRecoveryCodesVerifyNotEnabled:
            self = .notOffered
        case .mfaVerificationRejected: self = .blocked
        default: return nil
        }
    }
}
