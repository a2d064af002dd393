/// The built-in mails in English.
enum EnglishMails {
    static func words(_ names: MailNames) -> MailWords {
        MailWords(
            codeHint: "Or enter this code in the app:",
            linkHint: "If the button does not work, copy this address into your browser:",
            lifetime: names.lifetime.map { "Expires in \($0)." },
            footer: "\(names.app) sent this email to \(names.sendingTo).")
    }

    static func wording(_ kind: MailTemplateKind, _ names: MailNames) -> Wording {
        switch kind {
        case .confirmation: confirmation(names)
        case .recovery: recovery(names)
        case .magicLink: magicLink(names)
        case .code: code(names)
        case .invite: invite(names)
        case .reauthentication: reauthentication(names)
        case .emailChangeCurrent: emailChangeCurrent(names)
        case .emailChangeNew: emailChangeNew(names)
        case .accountExists: accountExists(names)
        case .passwordChanged: passwordChanged(names)
        case .emailChanged: emailChanged(names)
        case .identityLinked: identityLinked(names)
        case .identityUnlinked: identityUnlinked(names)
        case .newDevice: newDevice(names)
        case .factorEnrolled: factorEnrolled(names)
        case .factorUnenrolled: factorUnenrolled(names)
        case .factorRemoval: factorRemoval(names)
        case .recoveryCodeUsed: recoveryCodeUsed(names)
        case .recoveryCodesReplaced: recoveryCodesReplaced(names)
        case .passkeyCreated: passkeyCreated(names)
        case .passkeyDeleted: passkeyDeleted(names)
        }
    }

    private static func confirmation(_ names: MailNames) -> Wording {
        Wording(
            subject: "Confirm your email address for \(names.plainApp)",
            title: "Confirm your email address",
            paragraphs: [
                "Thanks for signing up for \(names.app). Please confirm that \(names.email) is your address."
            ],
            button: "Confirm email address",
            warning: "If you did not sign up, ignore this email. Without your confirmation the account cannot be used.")
    }

    private static func recovery(_ names: MailNames) -> Wording {
        Wording(
            subject: "Reset your password for \(names.plainApp)",
            title: "Reset your password",
            paragraphs: [
                "Someone asked to reset the password of your \(names.app) account, \(names.email). If "
                    + "it was you, set a new password."
            ],
            button: "Set a new password",
            warning: "If it was not you, ignore this email. Your password stays as it is.")
    }

    private static func magicLink(_ names: MailNames) -> Wording {
        Wording(
            subject: "Sign in to \(names.plainApp)",
            title: "Sign in to \(names.app)",
            paragraphs: [
                "Use this link to sign in as \(names.email)."
            ],
            button: "Sign in",
            warning: "If you did not ask to sign in, ignore this email. Do not give the link or the code to anyone.")
    }

    private static func code(_ names: MailNames) -> Wording {
        Wording(
            subject: "Your code for \(names.plainApp)",
            title: "Your code",
            paragraphs: [
                "Enter this code in \(names.app) to show that \(names.sendingTo) is your address."
            ],
            warning:
                "If you did not ask for a code, ignore this email. Do not give the code to anyone: we never "
                + "ask for it.")
    }

    private static func invite(_ names: MailNames) -> Wording {
        Wording(
            subject: "You are invited to \(names.plainApp)",
            title: "You are invited",
            paragraphs: [
                "You have been invited to join \(names.app) as \(names.email). Accept the invitation to "
                    + "get your account."
            ],
            button: "Accept the invitation",
            warning: "If you do not want to join, ignore this email.")
    }

    private static func reauthentication(_ names: MailNames) -> Wording {
        Wording(
            subject: "Your code to confirm a change in \(names.plainApp)",
            title: "Confirm that it is you",
            paragraphs: [
                "You are about to change something important in your account. Enter this code in "
                    + "\(names.app) to continue."
            ],
            warning:
                "If it was not you, someone may be using your account. Change your password, and do not "
                + "give the code to anyone.")
    }

    private static func emailChangeCurrent(_ names: MailNames) -> Wording {
        Wording(
            subject: "Confirm the change of your email address for \(names.plainApp)",
            title: "Change of your email address",
            paragraphs: [
                "The email address of your \(names.app) account is about to change from \(names.email) "
                    + "to \(names.newEmail). Please confirm the change."
            ],
            button: "Confirm the change",
            warning:
                "If it was not you, do not confirm it, and change your password: someone may be using your "
                + "account.")
    }

    private static func emailChangeNew(_ names: MailNames) -> Wording {
        Wording(
            subject: "Confirm your new email address for \(names.plainApp)",
            title: "Confirm your new email address",
            paragraphs: [
                "You asked to use \(names.newEmail) for your \(names.app) account. Please confirm that "
                    + "it is your address."
            ],
            button: "Confirm email address",
            warning: "If it was not you, ignore this email. The account keeps its present address.")
    }

    private static func accountExists(_ names: MailNames) -> Wording {
        Wording(
            subject: "You already have an account with \(names.plainApp)",
            title: "You already have an account",
            paragraphs: [
                "Someone, perhaps you, tried to sign up for \(names.app) as \(names.email). You already "
                    + "have an account with this address, so no new one was created.",
                names.hasLink
                    ? "Sign in as usual. If you have forgotten your password, set a new one."
                    : "Sign in as usual. If you have forgotten your password, ask for a new one in the app.",
            ],
            button: "Set a new password",
            warning: "If it was not you, there is nothing to do. Nobody gained access to your account.")
    }

    private static func passwordChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "Your password for \(names.plainApp) was changed",
            title: "Your password was changed",
            paragraphs: [
                "The password of your \(names.app) account, \(names.email), was changed."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, reset your password in the app now, and sign out your other devices.")
    }

    private static func emailChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "Your email address for \(names.plainApp) was changed",
            title: "Your email address was changed",
            paragraphs: [
                "The email address of your \(names.app) account was changed from \(names.oldEmail) to "
                    + "\(names.email). From now on, we write to the new address."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, contact us at once: someone may have taken over your account.")
    }

    private static func identityLinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "A sign-in method was added to your \(names.plainApp) account",
            title: "A sign-in method was added",
            paragraphs: [
                "You can now sign in to your \(names.app) account, \(names.email), with \(names.provider)."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, remove this sign-in method in the app, and change your password.")
    }

    private static func identityUnlinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "A sign-in method was removed from your \(names.plainApp) account",
            title: "A sign-in method was removed",
            paragraphs: [
                "You can no longer sign in to your \(names.app) account, \(names.email), with \(names.provider)."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, change your password, and add the sign-in method again.")
    }

    private static func newDevice(_ names: MailNames) -> Wording {
        Wording(
            subject: "New sign-in to your \(names.plainApp) account",
            title: "New sign-in",
            paragraphs: [
                "A new device signed in to your \(names.app) account, \(names.email)."
            ],
            facts: names.facts(device: "Device", time: "Time"),
            warning: "If it was not you, sign out this device in the app, and change your password.")
    }
}
