package import GatehouseWire

package struct AuditEntry: Sendable {
    /// Raw values are stored and returned by the admin API.
    package enum Action: String, Sendable {
        case login, logout
        /// Wrong passwords since the last entry; at most one an hour.
        case loginFailed = "login_failed"
        case userSignedUp = "user_signedup"
        case userDeleted = "user_deleted"
        case userModified = "user_modified"
        /// By an administrator, who got a link or code that signs in as the user.
        case linkGenerated = "link_generated"
        /// By an administrator, with `from` and `to`.
        case userRoleChanged = "user_role_changed"
        case userBanned = "user_banned"
        case userUnbanned = "user_unbanned"
        /// An administrator reset the limits of failed sign-ins.
        case userUnlocked = "user_unlocked"
        case userUpdatedPassword = "user_updated_password"
        case userRepeatedSignUp = "user_repeated_signup"
        case userInvited = "user_invited"
        case userRecoveryRequested = "user_recovery_requested"
        /// An administrator had the confirmation or invitation sent again.
        case userConfirmationRequested = "user_confirmation_requested"
        /// By an emailed code or link.
        case userConfirmed = "user_confirmed"
        case tokenRevoked = "token_revoked"
        /// A refresh token was presented again, late: the response was lost, or the token was copied.
        case tokenRepeated = "token_repeated"
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        case identityLinkUndone = "identity_link_undone"
        case identityNeedsConfirmation = "identity_needs_confirmation"
        case identityRefused = "identity_refused"
        /// An unconfirmed sign-up's data was removed because the address's owner signed in.
        case accountTakenOver = "account_taken_over"
        /// The user started over with a new account, which has the address.
        case accountRecovered = "account_recovered"
        case addressMoved = "address_moved"
        /// By the address's first proof.
        case credentialsSetAside = "credentials_set_aside"
        /// Its holder used it together with an emailed code.
        case credentialRestored = "credential_restored"
        case providerNotice = "provider_notice"
        case providerTokenRevoked = "provider_token_revoked"
        case providerTokenNotRevoked = "provider_token_not_revoked"
        case factorEnrolled = "factor_in_progress"
        case challengeCreated = "challenge_created"
        /// Successful attempts only.
        case verificationAttempted = "verification_attempted"
        case factorUnenrolled = "factor_unenrolled"
        case factorUpdated = "factor_updated"
        case factorDeleted = "factor_deleted"
        /// The factor is removed later, unless its owner uses it.
        case factorRemovalBegun = "factor_removal_begun"
        case recoveryCodesGenerated = "recovery_codes_generated"
        case recoveryCodeVerified = "recovery_codes_verified"
        case recoveryCodesRegenerated = "recovery_codes_regenerated"
        case recoveryCodesDeleted = "recovery_codes_deleted"
        case passkeyCreated = "passkey_created"
        case passkeyUpdated = "passkey_updated"
        case passkeyDeleted = "passkey_deleted"
        /// Another device has a copy of the passkey's key.
        case passkeyCloned = "passkey_cloned"
        /// `cause` names the failed check.
        case passkeyRefused = "passkey_refused"
        case mailRetried = "mail_retried"
        case mailDropped = "mail_dropped"
        case deliveryReplayed = "delivery_replayed"
        case signingKeysRotated = "signing_keys_rotated"
        /// As unknown, with the link of an emailed notice.
        case deviceReported = "device_reported"
        /// `kind` is the one of ``ChildSession``.
        case childSessionCreated = "child_session_created"
        case oauthConsentGranted = "oauth_consent_granted"
        case oauthConsentDenied = "oauth_consent_denied"
        /// The user takes the request for a deception.
        case oauthClientReported = "oauth_client_reported"
        case oauthConsentRevoked = "oauth_consent_revoked"
        case oauthClientCreated = "oauth_client_created"
        case oauthClientUpdated = "oauth_client_updated"
        case oauthClientDeleted = "oauth_client_deleted"
        case oauthClientSecretRegenerated = "oauth_client_secret_regenerated"

        var logType: String {
            switch self {
            case .login, .loginFailed, .logout, .userDeleted: "account"
            case .userSignedUp, .userInvited: "team"
            case .userModified, .userUpdatedPassword, .userRepeatedSignUp, .userConfirmed, .userRecoveryRequested,
                .userRoleChanged, .linkGenerated, .userBanned, .userUnbanned, .userUnlocked, .userConfirmationRequested:
                "user"
            case .childSessionCreated, .deviceReported: "account"
            case .tokenRevoked, .tokenRepeated, .providerTokenRevoked, .providerTokenNotRevoked: "token"
            case .passkeyCreated, .passkeyUpdated, .passkeyDeleted, .passkeyCloned, .passkeyRefused: "user"
            case .identityLinked, .identityUnlinked, .identityLinkUndone, .identityNeedsConfirmation,
                .identityRefused, .providerNotice:
                "user"
            case .factorEnrolled, .challengeCreated, .verificationAttempted, .factorUnenrolled, .factorUpdated,
                .factorDeleted, .factorRemovalBegun, .recoveryCodesGenerated, .recoveryCodeVerified,
                .recoveryCodesRegenerated, .recoveryCodesDeleted:
                "factor"
            case .accountTakenOver, .accountRecovered, .addressMoved: "account"
            case .credentialsSetAside, .credentialRestored: "user"
            case .oauthConsentGranted, .oauthConsentDenied, .oauthClientReported, .oauthConsentRevoked: "user"
            case .mailRetried, .mailDropped, .deliveryReplayed, .signingKeysRotated, .oauthClientCreated,
                .oauthClientUpdated, .oauthClientDeleted, .oauthClientSecretRegenerated:
                "operations"
            }
        }
    }

    package let action: Action
    package let actor: UserID?
    /// The actor's email address, or `service_role` for an API key.
    package let actorName: String
    package let traits: AuthJSONObject
    package var logType: String { action.logType }

    /// An act of the admin API. An actor id would put it into the administrator's own history.
    ///
    /// - Parameter administrator: nil for an API key.
    package init(_ action: Action, administrator: String?, traits: AuthJSONObject) {
        self.init(action, actor: nil, actorName: administrator ?? "service_role", traits: traits)
    }

    package init(_ action: Action, actor: UserID?, actorName: String, traits: AuthJSONObject = [:]) {
        self.action = action
        self.actor = actor
        self.actorName = actorName
        self.traits = traits
    }
}
