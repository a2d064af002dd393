/// Raw values are stored in the audit log and must not change: see `Docs/reference/linking-rules.md`.
package enum LinkingRule: String, CaseIterable, Sendable {
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
    case secondFactor = "second_factor"
    case administrator
    case policyConfirm = "policy_confirm"
    case provenByBoth = "proven_by_both"

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

    case unlinkedByOwner = "unlinked_by_owner"
    case lastMethod = "last_method"
    case addressConflict = "address_conflict"
    case undoneByOwner = "undone_by_owner"
    case undoTooLate = "undo_too_late"

    case consentRevoked = "consent_revoked"
    case providerAccountDeleted = "provider_account_deleted"
}

package enum LinkingRefusal: String, CaseIterable, Sendable {
    case banned
    case signUpDisabled = "sign_up_disabled"
    case emailMissing = "email_missing"
    case emailUnverified = "email_unverified"
    case alreadyLinked = "already_linked"
    case taken
    case emailTaken = "email_taken"
    case otherAccount = "other_account"
    /// The accounts have changed since the ticket was issued.
    case outdated
    /// The account's address is proven, so only its own sign-in methods open it.
    case notRecoverable = "not_recoverable"
    /// The session has ended, or the password has changed.
    case notSignedIn = "not_signed_in"
    /// Used, expired or unknown.
    case ticketUnknown = "ticket_unknown"
}
