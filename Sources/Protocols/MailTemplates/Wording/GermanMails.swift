/// The built-in mails in German.
enum GermanMails {
    static func words(_ names: MailNames) -> MailWords {
        MailWords(
            codeHint: "Oder gib diesen Code in der App ein:",
            linkHint: "Wenn der Button nicht funktioniert, kopiere diese Adresse in deinen Browser:",
            lifetime: names.lifetime.map { "Gültig für \($0)." },
            footer: "\(names.app) hat diese E-Mail an \(names.sendingTo) geschickt.")
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
            subject: "Bestätige deine E-Mail-Adresse für \(names.plainApp)",
            title: "Bestätige deine E-Mail-Adresse",
            paragraphs: [
                "Danke für deine Registrierung bei \(names.app). Bitte bestätige, dass \(names.email) deine Adresse ist."
            ],
            button: "E-Mail-Adresse bestätigen",
            warning:
                "Wenn du dich nicht registriert hast, ignoriere diese E-Mail. Ohne deine Bestätigung ist der "
                + "Account nicht nutzbar.")
    }

    private static func recovery(_ names: MailNames) -> Wording {
        Wording(
            subject: "Setze dein Passwort für \(names.plainApp) zurück",
            title: "Setze dein Passwort zurück",
            paragraphs: [
                "Jemand möchte das Passwort deines Accounts bei \(names.app), \(names.email), "
                    + "zurücksetzen. Wenn du das warst, lege ein neues Passwort fest."
            ],
            button: "Neues Passwort festlegen",
            warning: "Wenn du das nicht warst, ignoriere diese E-Mail. Dein Passwort bleibt, wie es ist.")
    }

    private static func magicLink(_ names: MailNames) -> Wording {
        Wording(
            subject: "Anmelden bei \(names.plainApp)",
            title: "Anmelden bei \(names.app)",
            paragraphs: [
                "Mit diesem Link meldest du dich als \(names.email) an."
            ],
            button: "Anmelden",
            warning:
                "Wenn du dich nicht anmelden wolltest, ignoriere diese E-Mail. Gib den Link und den Code "
                + "nicht weiter.")
    }

    private static func code(_ names: MailNames) -> Wording {
        Wording(
            subject: "Dein Code für \(names.plainApp)",
            title: "Dein Bestätigungscode",
            paragraphs: [
                "Gib diesen Code in \(names.app) ein, um zu zeigen, dass \(names.sendingTo) deine Adresse ist."
            ],
            warning:
                "Wenn du keinen Code angefordert hast, ignoriere diese E-Mail. Gib den Code nicht weiter: "
                + "Wir fragen nie danach.")
    }

    private static func invite(_ names: MailNames) -> Wording {
        Wording(
            subject: "Einladung zu \(names.plainApp)",
            title: "Du bist eingeladen",
            paragraphs: [
                "Du wurdest als \(names.email) zu \(names.app) eingeladen. Nimm die Einladung an, um "
                    + "deinen Account zu bekommen."
            ],
            button: "Einladung annehmen",
            warning: "Wenn du nicht mitmachen möchtest, ignoriere diese E-Mail.")
    }

    private static func reauthentication(_ names: MailNames) -> Wording {
        Wording(
            subject: "Dein Code für eine Änderung bei \(names.plainApp)",
            title: "Bestätige, dass du es bist",
            paragraphs: [
                "Du bist dabei, etwas Wichtiges an deinem Account zu ändern. Gib diesen Code in "
                    + "\(names.app) ein, um fortzufahren."
            ],
            warning:
                "Wenn du das nicht warst, benutzt vielleicht jemand deinen Account. Ändere dein Passwort, "
                + "und gib den Code nicht weiter.")
    }

    private static func emailChangeCurrent(_ names: MailNames) -> Wording {
        Wording(
            subject: "Bestätige die Änderung deiner E-Mail-Adresse bei \(names.plainApp)",
            title: "Änderung deiner E-Mail-Adresse",
            paragraphs: [
                "Die E-Mail-Adresse deines Accounts bei \(names.app) soll sich von \(names.email) zu "
                    + "\(names.newEmail) ändern. Bitte bestätige die Änderung."
            ],
            button: "Änderung bestätigen",
            warning:
                "Wenn du das nicht warst, bestätige nichts, und ändere dein Passwort: Vielleicht benutzt "
                + "jemand deinen Account.")
    }

    private static func emailChangeNew(_ names: MailNames) -> Wording {
        Wording(
            subject: "Bestätige deine neue E-Mail-Adresse für \(names.plainApp)",
            title: "Bestätige deine neue E-Mail-Adresse",
            paragraphs: [
                "Du möchtest \(names.newEmail) für deinen Account bei \(names.app) verwenden. Bitte "
                    + "bestätige, dass es deine Adresse ist."
            ],
            button: "E-Mail-Adresse bestätigen",
            warning: "Wenn du das nicht warst, ignoriere diese E-Mail. Der Account behält seine bisherige Adresse.")
    }

    private static func accountExists(_ names: MailNames) -> Wording {
        Wording(
            subject: "Du hast schon einen Account bei \(names.plainApp)",
            title: "Du hast schon einen Account",
            paragraphs: [
                "Jemand, vielleicht du selbst, wollte bei \(names.app) einen Account für \(names.email) "
                    + "anlegen. Du hast mit dieser Adresse schon einen Account, daher wurde kein neuer "
                    + "angelegt.",
                names.hasLink
                    ? "Melde dich an wie gewohnt. Wenn du dein Passwort vergessen hast, lege ein neues fest."
                    : "Melde dich an wie gewohnt. Wenn du dein Passwort vergessen hast, fordere in der "
                        + "App ein neues an.",
            ],
            button: "Neues Passwort festlegen",
            warning: "Wenn du das nicht warst, musst du nichts tun. Niemand hat Zugriff auf deinen Account bekommen.")
    }

    private static func passwordChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "Dein Passwort für \(names.plainApp) wurde geändert",
            title: "Dein Passwort wurde geändert",
            paragraphs: [
                "Das Passwort deines Accounts bei \(names.app), \(names.email), wurde geändert."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning:
                "Wenn du das nicht warst, setze jetzt in der App dein Passwort zurück, und melde deine "
                + "anderen Geräte ab.")
    }

    private static func emailChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "Deine E-Mail-Adresse bei \(names.plainApp) wurde geändert",
            title: "Deine E-Mail-Adresse wurde geändert",
            paragraphs: [
                "Die E-Mail-Adresse deines Accounts bei \(names.app) wurde von \(names.oldEmail) zu "
                    + "\(names.email) geändert. Ab jetzt schreiben wir an die neue Adresse."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning:
                "Wenn du das nicht warst, melde dich sofort bei uns: Vielleicht hat jemand deinen Account "
                + "übernommen.")
    }

    private static func identityLinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "Neue Anmeldeart für deinen Account bei \(names.plainApp)",
            title: "Anmeldeart hinzugefügt",
            paragraphs: [
                "Du kannst dich jetzt mit \(names.provider) bei deinem \(names.app)-Account, \(names.email), anmelden."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, entferne diese Anmeldeart in der App, und ändere dein Passwort.")
    }

    private static func identityUnlinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "Anmeldeart von deinem Account bei \(names.plainApp) entfernt",
            title: "Anmeldeart entfernt",
            paragraphs: [
                "Du kannst dich nicht mehr mit \(names.provider) bei deinem \(names.app)-Account, "
                    + "\(names.email), anmelden."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, ändere dein Passwort, und füge die Anmeldeart wieder hinzu.")
    }

    private static func newDevice(_ names: MailNames) -> Wording {
        Wording(
            subject: "Neue Anmeldung bei \(names.plainApp)",
            title: "Neue Anmeldung",
            paragraphs: [
                "Ein neues Gerät hat sich bei deinem \(names.app)-Account, \(names.email), angemeldet."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, melde dieses Gerät in der App ab, und ändere dein Passwort.")
    }
}
