/// The stable word for why the Auth API refused: the one list of them, for the server and its clients.
///
/// Open, because a newer server may say a word that this version does not know: compare with the constants,
/// and treat what is left over by its HTTP status.
public struct AuthErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let rawValue: String

    /// Any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    package init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

extension AuthErrorCode {
    /// A refusal without a word of its own, mostly from a hook.
    public static let unknown = Self(rawValue: "unknown")
    /// The server failed; the same call may work later.
    public static let unexpectedFailure = Self(rawValue: "unexpected_failure")
    /// A parameter is not acceptable.
    public static let validationFailed = Self(rawValue: "validation_failed")
    /// The body is missing or no JSON.
    public static let badJSON = Self(rawValue: "bad_json")
    /// The body is over 1 MiB.
    public static let requestEntityTooLarge = Self(rawValue: "request_entity_too_large")
    /// The server took longer than it allows itself.
    public static let requestTimeout = Self(rawValue: "request_timeout")
    /// Others hold what the call needs; it may work later.
    public static let conflict = Self(rawValue: "conflict")
    /// No bearer token, or none that can be read.
    public static let noAuthorization = Self(rawValue: "no_authorization")
    /// The access token is invalid or has expired.
    public static let badJWT = Self(rawValue: "bad_jwt")
    /// The token's role is no administrator's.
    public static let notAdmin = Self(rawValue: "not_admin")
    /// There is no such account. Ends a session.
    public static let userNotFound = Self(rawValue: "user_not_found")
    /// The session is gone. Ends a session.
    public static let sessionNotFound = Self(rawValue: "session_not_found")
    /// The session has outlived its limits. Ends a session.
    public static let sessionExpired = Self(rawValue: "session_expired")
    /// The refresh token is unknown, or its session is gone. Ends a session.
    public static let refreshTokenNotFound = Self(rawValue: "refresh_token_not_found")
    /// The refresh token was used again too late, as a thief would. Ends a session.
    public static let refreshTokenAlreadyUsed = Self(rawValue: "refresh_token_already_used")
    /// Unknown account or wrong password; which, is not told.
    public static let invalidCredentials = Self(rawValue: "invalid_credentials")
    /// The address waits for its confirmation.
    public static let emailNotConfirmed = Self(rawValue: "email_not_confirmed")
    /// The number waits for its confirmation.
    public static let phoneNotConfirmed = Self(rawValue: "phone_not_confirmed")
    /// The account may not sign in for now. Ends a session.
    public static let userBanned = Self(rawValue: "user_banned")
    /// Sign-up with an address that has an account.
    public static let userAlreadyExists = Self(rawValue: "user_already_exists")
    /// Another account has the address.
    public static let emailExists = Self(rawValue: "email_exists")
    /// Another account has the number.
    public static let phoneExists = Self(rawValue: "phone_exists")
    /// The server makes no new accounts.
    public static let signupDisabled = Self(rawValue: "signup_disabled")
    /// The server makes no anonymous accounts.
    public static let anonymousProviderDisabled = Self(rawValue: "anonymous_provider_disabled")
    /// Signing in with an address is off.
    public static let emailProviderDisabled = Self(rawValue: "email_provider_disabled")
    /// Signing in with a number is off.
    public static let phoneProviderDisabled = Self(rawValue: "phone_provider_disabled")
    /// Signing in with this provider is off.
    public static let providerDisabled = Self(rawValue: "provider_disabled")
    /// The provider was switched off during the flow.
    public static let oauthProviderNotSupported = Self(rawValue: "oauth_provider_not_supported")
    /// The provider did not vouch for the address; a mail was sent.
    public static let providerEmailNeedsVerification = Self(rawValue: "provider_email_needs_verification")
    /// The sign-in method belongs to an account already.
    public static let identityAlreadyExists = Self(rawValue: "identity_already_exists")
    /// The sign-in method is none of the person's.
    public static let identityNotFound = Self(rawValue: "identity_not_found")
    /// The last sign-in method cannot be removed.
    public static let singleIdentityNotDeletable = Self(rawValue: "single_identity_not_deletable")
    /// Removing it would need an address that another account uses.
    public static let emailConflictIdentityNotDeletable = Self(rawValue: "email_conflict_identity_not_deletable")
    /// The server does not let people link methods.
    public static let manualLinkingDisabled = Self(rawValue: "manual_linking_disabled")
    /// The token is for another audience.
    public static let unexpectedAudience = Self(rawValue: "unexpected_audience")
    /// The invitation is unknown or used.
    public static let inviteNotFound = Self(rawValue: "invite_not_found")
    /// The provider came back without a state or code.
    public static let badOAuthCallback = Self(rawValue: "bad_oauth_callback")
    /// The provider came back with an unknown or old state.
    public static let badOAuthState = Self(rawValue: "bad_oauth_state")
    /// The server's own secret of the flow is gone.
    public static let oauthClientStateNotFound = Self(rawValue: "oauth_client_state_not_found")
    /// The server's own secret of the flow is too old.
    public static let oauthClientStateExpired = Self(rawValue: "oauth_client_state_expired")
    /// The provider that came back is not the one of the flow.
    public static let oauthInvalidState = Self(rawValue: "oauth_invalid_state")
    /// The code is unknown.
    public static let flowStateNotFound = Self(rawValue: "flow_state_not_found")
    /// The code came too late.
    public static let flowStateExpired = Self(rawValue: "flow_state_expired")
    /// The flow is finished already.
    public static let flowStateAlreadyUsed = Self(rawValue: "flow_state_already_used")
    /// The code is for another flow.
    public static let badCodeVerifier = Self(rawValue: "bad_code_verifier")
    /// The code or link is wrong, used, or too old; which, is not told.
    public static let otpExpired = Self(rawValue: "otp_expired")
    /// No account has the address, and none was to be made.
    public static let otpDisabled = Self(rawValue: "otp_disabled")
    /// The password is not strong enough; the reasons are with the refusal.
    public static let weakPassword = Self(rawValue: "weak_password")
    /// The new password is the old one.
    public static let samePassword = Self(rawValue: "same_password")
    /// The change needs the code of `reauthenticate()`.
    public static let reauthenticationNeeded = Self(rawValue: "reauthentication_needed")
    /// The code of `reauthenticate()` is wrong or old.
    public static let reauthenticationNotValid = Self(rawValue: "reauthentication_not_valid")
    /// The change needs the current password.
    public static let currentPasswordRequired = Self(rawValue: "current_password_required")
    /// The current password is wrong.
    public static let currentPasswordInvalid = Self(rawValue: "current_password_invalid")
    /// The change needs a session that has just begun: sign in again, then repeat it.
    public static let freshSignInRequired = Self(rawValue: "fresh_sign_in_required")
    /// The account's company decides about this.
    public static let userSSOManaged = Self(rawValue: "user_sso_managed")
    /// A second factor is needed.
    public static let insufficientAAL = Self(rawValue: "insufficient_aal")
    /// The captcha is missing or wrong.
    public static let captchaFailed = Self(rawValue: "captcha_failed")
    /// Too many calls; wait as the refusal says.
    public static let overRequestRateLimit = Self(rawValue: "over_request_rate_limit")
    /// Too many mails; wait as the refusal says.
    public static let overEmailSendRateLimit = Self(rawValue: "over_email_send_rate_limit")
    /// Too many messages; wait as the refusal says.
    public static let overSMSSendRateLimit = Self(rawValue: "over_sms_send_rate_limit")
    /// The message could not be sent.
    public static let smsSendFailed = Self(rawValue: "sms_send_failed")
    /// The server does not write to this address.
    public static let emailAddressNotAuthorized = Self(rawValue: "email_address_not_authorized")
    /// The address cannot receive mail.
    public static let emailAddressInvalid = Self(rawValue: "email_address_invalid")
    /// The passkey is unknown.
    public static let webauthnCredentialNotFound = Self(rawValue: "webauthn_credential_not_found")
    /// There is no such factor or challenge.
    public static let mfaFactorNotFound = Self(rawValue: "mfa_factor_not_found")
    /// The number is a factor already.
    public static let mfaVerifiedFactorExists = Self(rawValue: "mfa_verified_factor_exists")
    /// The challenge was begun elsewhere, or is finished.
    public static let mfaIPAddressMismatch = Self(rawValue: "mfa_ip_address_mismatch")
    /// Another factor has the name.
    public static let mfaFactorNameConflict = Self(rawValue: "mfa_factor_name_conflict")
    /// No more factors are allowed.
    public static let tooManyEnrolledMFAFactors = Self(rawValue: "too_many_enrolled_mfa_factors")
    /// The challenge is too old.
    public static let mfaChallengeExpired = Self(rawValue: "mfa_challenge_expired")
    /// The code of the factor is wrong.
    public static let mfaVerificationFailed = Self(rawValue: "mfa_verification_failed")
    /// A hook refused the factor.
    public static let mfaVerificationRejected = Self(rawValue: "mfa_verification_rejected")
    /// Authenticator apps cannot be added.
    public static let mfaTOTPEnrollNotEnabled = Self(rawValue: "mfa_totp_enroll_not_enabled")
    /// Authenticator apps cannot be used.
    public static let mfaTOTPVerifyNotEnabled = Self(rawValue: "mfa_totp_verify_not_enabled")
    /// Phones cannot be added as factors.
    public static let mfaPhoneEnrollNotEnabled = Self(rawValue: "mfa_phone_enroll_not_enabled")
    /// Phones cannot be used as factors.
    public static let mfaPhoneVerifyNotEnabled = Self(rawValue: "mfa_phone_verify_not_enabled")
    /// Passkeys cannot be added as factors.
    public static let mfaWebAuthnEnrollNotEnabled = Self(rawValue: "mfa_webauthn_enroll_not_enabled")
    /// Passkeys cannot be used as factors.
    public static let mfaWebAuthnVerifyNotEnabled = Self(rawValue: "mfa_webauthn_verify_not_enabled")
    /// Recovery codes cannot be made.
    public static let mfaRecoveryCodesEnrollNotEnabled = Self(rawValue: "mfa_recovery_codes_enroll_not_enabled")
    /// Recovery codes cannot be used.
    public static let mfaRecoveryCodesVerifyNotEnabled = Self(rawValue: "mfa_recovery_codes_verify_not_enabled")
    /// Passkeys are off.
    public static let passkeyDisabled = Self(rawValue: "passkey_disabled")
    /// Signing in through a company's SAML server is off.
    public static let samlProviderDisabled = Self(rawValue: "saml_provider_disabled")
    /// There is no such SAML server.
    public static let ssoProviderNotFound = Self(rawValue: "sso_provider_not_found")
    /// Signing in with a wallet is off.
    public static let web3ProviderDisabled = Self(rawValue: "web3_provider_disabled")
    /// The chain is not supported.
    public static let web3UnsupportedChain = Self(rawValue: "web3_unsupported_chain")
    /// The feature is off.
    public static let featureDisabled = Self(rawValue: "feature_disabled")
}

// Words that Supabase Auth does not have.
extension AuthErrorCode {
    /// The server asks for an API key, and the request has none.
    public static let noAPIKey = Self(rawValue: "no_api_key")
    /// The API key is not one of the server's, or came where it is not accepted.
    public static let invalidAPIKey = Self(rawValue: "invalid_api_key")
    /// There is nothing of the kind, such as a session of that id.
    public static let notFound = Self(rawValue: "not_found")
    /// The database is away; nothing has happened, and the same call may work in a moment.
    public static let serviceUnavailable = Self(rawValue: "service_unavailable")
    /// The database went away during the call, which may have taken effect. Repeating it does no harm.
    public static let outcomeUnknown = Self(rawValue: "outcome_unknown")
    /// An account has the address that the provider vouches for, and its owner has to agree before the two become one
    /// (requirement D7). An ``AuthLinkQuestion`` is with the refusal.
    public static let identityNeedsConfirmation = Self(rawValue: "identity_needs_confirmation")
    /// The link ticket was used, has expired, or was never given out.
    public static let linkTicketNotFound = Self(rawValue: "link_ticket_not_found")
    /// The account is another one than the ticket asks for; the ticket stays good.
    public static let linkTicketOtherAccount = Self(rawValue: "link_ticket_other_account")
    /// No account has the ticket's address any more: a new sign-in asks nothing.
    public static let linkTicketOutdated = Self(rawValue: "link_ticket_outdated")
    /// The account's owner has proven the address, so that nobody can take it; the ticket stays good.
    public static let linkNotRecoverable = Self(rawValue: "link_not_recoverable")
    /// The sign-in method was not linked, or too long ago to be taken back.
    public static let linkNotUndoable = Self(rawValue: "link_not_undoable")
    /// The person has stopped using Sign in with Apple for this app, says Apple. No answer of the API has this word:
    /// it is why a client ends a session.
    public static let consentRevoked = Self(rawValue: "consent_revoked")
}
