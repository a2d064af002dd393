/// Why it was decided as it was. The raw values stand in the audit log and do not change. `Docs/README.md` has the
/// table of them.
package enum LinkingRule: String, CaseIterable, Sendable {
    // Signing in.
    case knownIdentity = "known_identity"
    case accountBanned = "account_banned"
    case noAddress = "no_address"
    case unverifiedAddress = "unverified_address"
    case signUpDisabled = "sign_up_disabled"
    case addressRequired = "address_required"
    case unconfirmedSignUp = "unconfirmed_sign_up"
    case relayAddress = "relay_address"
    case newAddress = "new_address"
    case policyNever = "policy_never"
    case undoneBefore = "undone_before"
    case severalAccounts = "several_accounts"
    case unlinkedBefore = "unlinked_before"
    case unprovenAddress = "unproven_address"
    case otherSubject = "other_subject"
    case policyConfirm = "policy_confirm"
    case provenByBoth = "proven_by_both"

    // Linking while signed in.
    case alreadyLinked = "already_linked"
    case linkedElsewhere = "linked_elsewhere"
    case linkedByHand = "linked_by_hand"
    case addressInUse = "address_in_use"

    // With a link ticket.
    case confirmedByOwner = "confirmed_by_owner"
    case ticketForAnother = "ticket_for_another"
    case ticketOutdated = "ticket_outdated"
    case recoveredByProvider = "recovered_by_provider"
    case recoveryRefused = "recovery_refused"

    // Taking a sign-in method away.
    case unlinkedByOwner = "unlinked_by_owner"
    case lastMethod = "last_method"
    case addressConflict = "address_conflict"
    case undoneByOwner = "undone_by_owner"
    case undoTooLate = "undo_too_late"

    // What a provider tells by itself.
    case consentRevoked = "consent_revoked"
    case providerAccountDeleted = "provider_account_deleted"
}

/// Why nothing came of an attempt to sign in or to link.
package enum LinkingRefusal: String, CaseIterable, Sendable {
    case banned
    case signUpDisabled = "sign_up_disabled"
    /// The provider gave no address, and one is required.
    case emailMissing = "email_missing"
    /// The provider does not vouch for the address, and that is required.
    case emailUnverified = "email_unverified"
    /// The account has the identity already.
    case alreadyLinked = "already_linked"
    /// Another account has the identity.
    case taken
    /// Another account has the address that this one would get.
    case emailTaken = "email_taken"
    /// The ticket is for an account that is not the one signed in to.
    case otherAccount = "other_account"
    /// The accounts have changed since the ticket was made: start again.
    case outdated
    /// The account's address is proven, so only proof of its own sign-in methods opens it.
    case notRecoverable = "not_recoverable"
    /// The session that asks has ended, or the password has changed since it was checked.
    case notSignedIn = "not_signed_in"
    /// No such ticket: used, expired, or never made.
    case ticketUnknown = "ticket_unknown"
}
