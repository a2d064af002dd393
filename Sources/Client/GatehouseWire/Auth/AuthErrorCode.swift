/// The stable code of a refusal by the Auth API. Server and clients share this list.
///
/// Not an enumeration, because newer servers may send codes that this version does not know. Compare with the
/// constants, and handle any other code by its HTTP status.
///
/// ```swift
/// switch error.code {
/// case .invalidCredentials?: message = "Incorrect email or password."
/// case .overRequestRateLimit?: message = "Too many attempts."
/// default: message = "Something went wrong."
/// }
/// ```
public struct AuthErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as sent by the server.
    public let rawValue: String

    /// Creates a code from any string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a code from any string.
    package init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

extension AuthErrorCode {
    /// No specific code, usually from a hook.
    public static let unknown = Self(rawValue: "unknown")
    /// The server failed. A retry may succeed.
    public static let unexpectedFailure = Self(rawValue: "unexpected_failure")
    /// A parameter is invalid.
    public static let validationFailed = Self(rawValue: "validation_failed")
    /// The body is missing or invalid JSON.
    public static let badJSON = Self(rawValue: "bad_json")
    /// The body is larger than 1 MiB.
    public static let requestEntityTooLarge = Self(rawValue: "request_entity_too_large")
    /// The server's time limit passed.
    public static let requestTimeout = Self(rawValue: "request_timeout")
    /// Conflicting concurrent requests. A retry may succeed.
    public static let conflict = Self(rawValue: "conflict")
    /// The bearer token is missing or malformed.
    public static let noAuthorization = Self(rawValue: "no_authorization")
    /// The access token is invalid or expired.
    public static let badJWT = Self(rawValue: "bad_jwt")
    /// The token lacks an administrator's role.
    public static let notAdmin = Self(rawValue: "not_admin")
    /// The operator's role does not allow this.
    public static let insufficientOperatorRole = Self(rawValue: "insufficient_operator_role")
    /// The account does not exist. Ends the session.
    public static let userNotFound = Self(rawValue: "user_not_found")
    /// The session does not exist. Ends the session.
    public static let sessionNotFound = Self(rawValue: "session_not_found")
    /// The session has expired. Ends the session.
    public static let sessionExpired = Self(rawValue: "session_expired")
    /// The refresh token or its session does not exist. Ends the session.
    public static let refreshTokenNotFound = Self(rawValue: "refresh_token_not_found")
    /// The refresh token was reused too late, which indicates theft. Ends the session.
    public static let refreshTokenAlreadyUsed = Self(rawValue: "refresh_token_already_used")
    /// The account is unknown or the password wrong; the server does not say which.
    public static let invalidCredentials = Self(rawValue: "invalid_credentials")
    /// The email address is unconfirmed.
    public static let emailNotConfirmed = Self(rawValue: "email_not_confirmed")
    /// The phone number is unconfirmed.
    public static let phoneNotConfirmed = Self(rawValue: "phone_not_confirmed")
    /// The user is banned. Ends the session.
    public static let userBanned = Self(rawValue: "user_banned")
    /// The email address has an account.
    public static let userAlreadyExists = Self(rawValue: "user_already_exists")
    /// Another account has the email address.
    public static let emailExists = Self(rawValue: "email_exists")
    /// Another account has the phone number.
    public static let phoneExists = Self(rawValue: "phone_exists")
    /// Sign-up is disabled.
    public static let signupDisabled = Self(rawValue: "signup_disabled")
    /// Anonymous sign-in is disabled.
    public static let anonymousProviderDisabled = Self(rawValue: "anonymous_provider_disabled")
    /// Sign-in by email is disabled.
    public static let emailProviderDisabled = Self(rawValue: "email_provider_disabled")
    /// Sign-in by phone is disabled.
    public static let phoneProviderDisabled = Self(rawValue: "phone_provider_disabled")
    /// Sign-in with this provider is disabled.
    public static let providerDisabled = Self(rawValue: "provider_disabled")
    /// The provider was disabled during the flow.
    public static let oauthProviderNotSupported = Self(rawValue: "oauth_provider_not_supported")
    /// The provider did not verify the email address; the server emailed a confirmation.
    public static let providerEmailNeedsVerification = Self(rawValue: "provider_email_needs_verification")
    /// The identity already belongs to an account.
    public static let identityAlreadyExists = Self(rawValue: "identity_already_exists")
    /// The identity is not the user's.
    public static let identityNotFound = Self(rawValue: "identity_not_found")
    /// The last sign-in method cannot be removed.
    public static let singleIdentityNotDeletable = Self(rawValue: "single_identity_not_deletable")
    /// Removing the identity requires an address that another account uses.
    public static let emailConflictIdentityNotDeletable = Self(rawValue: "email_conflict_identity_not_deletable")
    /// Linking identities is disabled.
    public static let manualLinkingDisabled = Self(rawValue: "manual_linking_disabled")
    /// The token's audience is wrong.
    public static let unexpectedAudience = Self(rawValue: "unexpected_audience")
    /// The invitation is unknown or used.
    public static let inviteNotFound = Self(rawValue: "invite_not_found")
    /// The provider's callback lacks state or code.
    public static let badOAuthCallback = Self(rawValue: "bad_oauth_callback")
    /// The callback's state is unknown or expired.
    public static let badOAuthState = Self(rawValue: "bad_oauth_state")
    /// The flow's server state is missing.
    public static let oauthClientStateNotFound = Self(rawValue: "oauth_client_state_not_found")
    /// The flow's server state has expired.
    public static let oauthClientStateExpired = Self(rawValue: "oauth_client_state_expired")
    /// The callback is another provider's.
    public static let oauthInvalidState = Self(rawValue: "oauth_invalid_state")
    /// The authorization code is unknown.
    public static let flowStateNotFound = Self(rawValue: "flow_state_not_found")
    /// The authorization code has expired.
    public static let flowStateExpired = Self(rawValue: "flow_state_expired")
    /// The flow is already complete.
    public static let flowStateAlreadyUsed = Self(rawValue: "flow_state_already_used")
    /// The PKCE verifier does not match the challenge.
    public static let badCodeVerifier = Self(rawValue: "bad_code_verifier")
    /// The code or link is wrong, used or expired; the server does not say which.
    public static let otpExpired = Self(rawValue: "otp_expired")
    /// The address has no account, and the request forbade creating one.
    public static let otpDisabled = Self(rawValue: "otp_disabled")
    /// The password is too weak. The error contains the reasons.
    public static let weakPassword = Self(rawValue: "weak_password")
    /// The new password equals the old one.
    public static let samePassword = Self(rawValue: "same_password")
    /// The code of `reauthenticate()` is required.
    public static let reauthenticationNeeded = Self(rawValue: "reauthentication_needed")
    /// The code of `reauthenticate()` is wrong or expired.
    public static let reauthenticationNotValid = Self(rawValue: "reauthentication_not_valid")
    /// The current password is required.
    public static let currentPasswordRequired = Self(rawValue: "current_password_required")
    /// The current password is wrong.
    public static let currentPasswordInvalid = Self(rawValue: "current_password_invalid")
    /// A recent sign-in is required: sign in, then repeat the change.
    public static let freshSignInRequired = Self(rawValue: "fresh_sign_in_required")
    /// Single sign-on manages the account.
    public static let userSSOManaged = Self(rawValue: "user_sso_managed")
    /// A second factor is required.
    public static let insufficientAAL = Self(rawValue: "insufficient_aal")
    /// A hook timed out.
    public static let hookTimeout = Self(rawValue: "hook_timeout")
    /// A hook was unreachable in several attempts.
    public static let hookTimeoutAfterRetry = Self(rawValue: "hook_timeout_after_retry")
    /// A hook's response is too long.
    public static let hookPayloadOverSizeLimit = Self(rawValue: "hook_payload_over_size_limit")
    /// A hook's response is not JSON.
    public static let hookPayloadInvalidContentType = Self(rawValue: "hook_payload_invalid_content_type")
    /// The captcha response is missing or invalid.
    public static let captchaFailed = Self(rawValue: "captcha_failed")
    /// Too many requests. Wait for the time in the error.
    public static let overRequestRateLimit = Self(rawValue: "over_request_rate_limit")
    /// Too many emails. Wait for the time in the error.
    public static let overEmailSendRateLimit = Self(rawValue: "over_email_send_rate_limit")
    /// Too many text messages. Wait for the time in the error.
    public static let overSMSSendRateLimit = Self(rawValue: "over_sms_send_rate_limit")
    /// Sending the text message failed, or its country gets none.
    public static let smsSendFailed = Self(rawValue: "sms_send_failed")
    /// The server sends no email to this address.
    public static let emailAddressNotAuthorized = Self(rawValue: "email_address_not_authorized")
    /// The address cannot receive email.
    public static let emailAddressInvalid = Self(rawValue: "email_address_invalid")
    /// The passkey is unknown.
    public static let webauthnCredentialNotFound = Self(rawValue: "webauthn_credential_not_found")
    /// The factor or challenge does not exist.
    public static let mfaFactorNotFound = Self(rawValue: "mfa_factor_not_found")
    /// The phone number is already a factor.
    public static let mfaVerifiedFactorExists = Self(rawValue: "mfa_verified_factor_exists")
    /// The challenge is complete, or another address created it.
    public static let mfaIPAddressMismatch = Self(rawValue: "mfa_ip_address_mismatch")
    /// Another factor has this name.
    public static let mfaFactorNameConflict = Self(rawValue: "mfa_factor_name_conflict")
    /// The account has the maximum number of factors.
    public static let tooManyEnrolledMFAFactors = Self(rawValue: "too_many_enrolled_mfa_factors")
    /// The challenge has expired.
    public static let mfaChallengeExpired = Self(rawValue: "mfa_challenge_expired")
    /// The factor's code is wrong.
    public static let mfaVerificationFailed = Self(rawValue: "mfa_verification_failed")
    /// A hook rejected the factor.
    public static let mfaVerificationRejected = Self(rawValue: "mfa_verification_rejected")
    /// Enrolling authenticator apps is disabled.
    public static let mfaTOTPEnrollNotEnabled = Self(rawValue: "mfa_totp_enroll_not_enabled")
    /// Authenticator apps are not accepted.
    public static let mfaTOTPVerifyNotEnabled = Self(rawValue: "mfa_totp_verify_not_enabled")
    /// Enrolling phone numbers is disabled.
    public static let mfaPhoneEnrollNotEnabled = Self(rawValue: "mfa_phone_enroll_not_enabled")
    /// Phone numbers are not accepted as factors.
    public static let mfaPhoneVerifyNotEnabled = Self(rawValue: "mfa_phone_verify_not_enabled")
    /// Enrolling passkeys as factors is disabled.
    public static let mfaWebAuthnEnrollNotEnabled = Self(rawValue: "mfa_webauthn_enroll_not_enabled")
    /// Passkeys are not accepted as factors.
    public static let mfaWebAuthnVerifyNotEnabled = Self(rawValue: "mfa_webauthn_verify_not_enabled")
    /// Creating recovery codes is disabled.
    public static let mfaRecoveryCodesEnrollNotEnabled = Self(rawValue: "mfa_recovery_codes_enroll_not_enabled")
    /// Recovery codes are not accepted.
    public static let mfaRecoveryCodesVerifyNotEnabled = Self(rawValue: "mfa_recovery_codes_verify_not_enabled")
    /// Recovery codes require another factor.
    public static let mfaRecoveryCodesSoleFactor = Self(rawValue: "mfa_recovery_codes_sole_factor")
    /// Too many wrong recovery codes: they are locked for a while.
    public static let mfaRecoveryCodesLocked = Self(rawValue: "mfa_recovery_codes_locked")
    /// Passkeys are disabled.
    public static let passkeyDisabled = Self(rawValue: "passkey_disabled")
    /// The account has the maximum number of passkeys.
    public static let tooManyPasskeys = Self(rawValue: "too_many_passkeys")
    /// The passkey challenge is unknown or used.
    public static let webauthnChallengeNotFound = Self(rawValue: "webauthn_challenge_not_found")
    /// The passkey challenge has expired.
    public static let webauthnChallengeExpired = Self(rawValue: "webauthn_challenge_expired")
    /// The authenticator's response is wrong, or its passkey unknown.
    public static let webauthnVerificationFailed = Self(rawValue: "webauthn_verification_failed")
    /// The passkey is already registered.
    public static let webauthnCredentialExists = Self(rawValue: "webauthn_credential_exists")
    /// Sign-in with SAML is disabled.
    public static let samlProviderDisabled = Self(rawValue: "saml_provider_disabled")
    /// The SAML provider does not exist.
    public static let ssoProviderNotFound = Self(rawValue: "sso_provider_not_found")
    /// Sign-in with a wallet is disabled.
    public static let web3ProviderDisabled = Self(rawValue: "web3_provider_disabled")
    /// The blockchain is not supported.
    public static let web3UnsupportedChain = Self(rawValue: "web3_unsupported_chain")
    /// The feature is disabled.
    public static let featureDisabled = Self(rawValue: "feature_disabled")
    /// No OAuth client has this ID.
    public static let oauthClientNotFound = Self(rawValue: "oauth_client_not_found")
    /// The OAuth client's request is unknown, expired or another user's.
    public static let oauthAuthorizationNotFound = Self(rawValue: "oauth_authorization_not_found")
    /// The user has given the OAuth client no access.
    public static let oauthConsentNotFound = Self(rawValue: "oauth_consent_not_found")
    /// OAuth clients cannot register themselves.
    public static let oauthDynamicClientRegistrationDisabled = Self(
        rawValue: "oauth_dynamic_client_registration_disabled")
}

// Codes that Supabase Auth does not have.
extension AuthErrorCode {
    /// The required API key is missing.
    public static let noAPIKey = Self(rawValue: "no_api_key")
    /// The API key is unknown, or not accepted there.
    public static let invalidAPIKey = Self(rawValue: "invalid_api_key")
    /// The resource, such as a session, does not exist.
    public static let notFound = Self(rawValue: "not_found")
    /// The session is another session's child, which cannot change the account. The session continues.
    public static let childSession = Self(rawValue: "child_session")
    /// The session has ten children. End one, then repeat the request.
    public static let tooManyChildSessions = Self(rawValue: "too_many_child_sessions")
    /// The database is unavailable. Nothing changed; retry later.
    public static let serviceUnavailable = Self(rawValue: "service_unavailable")
    /// The database failed during the call, which may have taken effect. Repeating it is safe.
    public static let outcomeUnknown = Self(rawValue: "outcome_unknown")
    /// An account has the address that the provider verified; its owner must confirm the link. The error contains an
    /// ``AuthLinkQuestion``.
    public static let identityNeedsConfirmation = Self(rawValue: "identity_needs_confirmation")
    /// The link ticket is used, expired or unknown.
    public static let linkTicketNotFound = Self(rawValue: "link_ticket_not_found")
    /// The ticket is another account's, and stays valid.
    public static let linkTicketOtherAccount = Self(rawValue: "link_ticket_other_account")
    /// No account has the ticket's address anymore: a new sign-in needs no confirmation.
    public static let linkTicketOutdated = Self(rawValue: "link_ticket_outdated")
    /// The address cannot move to a new account. The ticket stays valid.
    public static let linkNotRecoverable = Self(rawValue: "link_not_recoverable")
    /// The identity was not linked, or too long ago.
    public static let linkNotUndoable = Self(rawValue: "link_not_undoable")
    /// The password or passkey is right, but set aside: it signs in only with the emailed code. For a passkey, the
    /// error contains an ``AuthSetAsideTicket``.
    public static let credentialSetAside = Self(rawValue: "credential_set_aside")
    /// The user stopped using Sign in with Apple for this app. The API never sends this code; clients use it as the
    /// reason for ending a session.
    public static let consentRevoked = Self(rawValue: "consent_revoked")
    /// This device does not have the key that the session is bound to. The API never sends this code; clients use it
    /// as the reason for ending a session.
    public static let deviceKeyLost = Self(rawValue: "device_key_lost")
}
