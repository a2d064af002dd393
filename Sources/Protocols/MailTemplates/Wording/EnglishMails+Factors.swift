// The mails about second factors.
extension EnglishMails {
    static func factorEnrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "Your \(names.plainApp) account has a new second factor",
            title: "New second factor",
            paragraphs: [
                "Your \(names.app) account, \(names.email), has a new second factor: \(factor(names)). From "
                    + "now on, we ask for a second factor at sign-in."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, reset your password, and contact us.")
    }

    static func factorUnenrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "A second factor was removed from your \(names.plainApp) account",
            title: "Second factor removed",
            paragraphs: [
                "Your \(names.app) account, \(names.email), lost a second factor: \(factor(names))."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, change your password, and add the second factor again.")
    }

    static func factorRemoval(_ names: MailNames) -> Wording {
        Wording(
            subject: "A second factor of your \(names.plainApp) account will be removed",
            title: "Second factor to be removed",
            paragraphs: [
                "On \(names.removalTime), we will remove a second factor of your \(names.app) account, "
                    + "\(names.email): \(factor(names)). Somebody told us that it is lost."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If you did not ask for this, sign in with your second factor, which stops the removal, and "
                + "contact us.")
    }

    private static func factor(_ names: MailNames) -> String {
        switch names.factorType {
        case "webauthn": "a security key"
        case "recovery_code": "recovery codes"
        default: "an authenticator app"
        }
    }
}

// The mails about recovery codes and passkeys.
extension EnglishMails {
    static func recoveryCodeUsed(_ names: MailNames) -> Wording {
        Wording(
            subject: "A recovery code of your \(names.plainApp) account was used",
            title: "Recovery code used",
            paragraphs: [
                "A recovery code of your \(names.app) account, \(names.email), was used instead of a second factor. "
                    + "It does not work again."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, change your password, and create new recovery codes.")
    }

    static func recoveryCodesReplaced(_ names: MailNames) -> Wording {
        Wording(
            subject: "Your \(names.plainApp) account has new recovery codes",
            title: "New recovery codes",
            paragraphs: [
                "Your \(names.app) account, \(names.email), has new recovery codes. Those before no longer work."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, change your password, and create new recovery codes.")
    }

    static func passkeyCreated(_ names: MailNames) -> Wording {
        Wording(
            subject: "Your \(names.plainApp) account has a new passkey",
            title: "New passkey",
            paragraphs: [
                "Your \(names.app) account, \(names.email), has a new passkey. It signs in without a password."
            ],
            facts: names.facts(authenticator: "Kept in", device: "Device", time: "Time"),
            warning: "If it was not you, delete this passkey in the app, and change your password.")
    }

    static func passkeyDeleted(_ names: MailNames) -> Wording {
        Wording(
            subject: "A passkey was deleted from your \(names.plainApp) account",
            title: "Passkey deleted",
            paragraphs: [
                "A passkey was deleted from your \(names.app) account, \(names.email). It no longer signs in."
            ],
            facts: names.facts(authenticator: "Kept in", device: "Device", time: "Time"),
            warning: "If it was not you, change your password, and add the passkey again.")
    }
}
