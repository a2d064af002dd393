// The mails about second factors.
extension GermanMails {
    static func factorEnrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "Neuer zweiter Faktor für deinen Account bei \(names.plainApp)",
            title: "Neuer zweiter Faktor",
            paragraphs: [
                "Dein \(names.app)-Account, \(names.email), hat einen neuen zweiten Faktor: \(factor(names)). "
                    + "Ab jetzt fragen wir bei der Anmeldung nach einem zweiten Faktor."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, setze dein Passwort zurück, und melde dich bei uns.")
    }

    static func factorUnenrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "Zweiter Faktor von deinem Account bei \(names.plainApp) entfernt",
            title: "Zweiter Faktor entfernt",
            paragraphs: [
                "Von deinem \(names.app)-Account, \(names.email), wurde ein zweiter Faktor entfernt: "
                    + "\(factor(names))."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, ändere dein Passwort, und füge den zweiten Faktor wieder hinzu.")
    }

    static func factorRemoval(_ names: MailNames) -> Wording {
        Wording(
            subject: "Ein zweiter Faktor deines Accounts bei \(names.plainApp) wird entfernt",
            title: "Zweiter Faktor wird entfernt",
            paragraphs: [
                "Wir entfernen am \(names.removalTime) einen zweiten Faktor von deinem \(names.app)-Account, "
                    + "\(names.email): \(factor(names)). Jemand hat uns gesagt, dass er verloren ist."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du nicht darum gebeten hast, melde dich mit deinem zweiten Faktor an. Das hält die "
                + "Entfernung auf. Melde dich dann bei uns.")
    }

    private static func factor(_ names: MailNames) -> String {
        switch names.factorType {
        case "webauthn": "ein Sicherheitsschlüssel"
        case "recovery_code": "Wiederherstellungscodes"
        default: "eine Authenticator-App"
        }
    }
}

// The mails about recovery codes and passkeys.
extension GermanMails {
    static func recoveryCodeUsed(_ names: MailNames) -> Wording {
        Wording(
            subject: "Ein Wiederherstellungscode deines Accounts bei \(names.plainApp) wurde benutzt",
            title: "Wiederherstellungscode benutzt",
            paragraphs: [
                "Ein Wiederherstellungscode deines \(names.app)-Accounts, \(names.email), wurde statt eines zweiten "
                    + "Faktors benutzt. Er gilt nicht noch einmal."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, ändere dein Passwort, und erstelle neue Wiederherstellungscodes.")
    }

    static func recoveryCodesReplaced(_ names: MailNames) -> Wording {
        Wording(
            subject: "Neue Wiederherstellungscodes für deinen Account bei \(names.plainApp)",
            title: "Neue Wiederherstellungscodes",
            paragraphs: [
                "Dein \(names.app)-Account, \(names.email), hat neue Wiederherstellungscodes. Die bisherigen gelten nicht "
                    + "mehr."
            ],
            facts: names.facts(device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, ändere dein Passwort, und erstelle neue Wiederherstellungscodes.")
    }

    static func passkeyCreated(_ names: MailNames) -> Wording {
        Wording(
            subject: "Neuer Passkey für deinen Account bei \(names.plainApp)",
            title: "Neuer Passkey",
            paragraphs: [
                "Dein \(names.app)-Account, \(names.email), hat einen neuen Passkey. Mit ihm meldet man sich ohne "
                    + "Passwort an."
            ],
            facts: names.facts(authenticator: "Gespeichert in", device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, lösche diesen Passkey in der App, und ändere dein Passwort.")
    }

    static func passkeyDeleted(_ names: MailNames) -> Wording {
        Wording(
            subject: "Passkey von deinem Account bei \(names.plainApp) gelöscht",
            title: "Passkey gelöscht",
            paragraphs: [
                "Von deinem \(names.app)-Account, \(names.email), wurde ein Passkey gelöscht. Mit ihm kann man sich "
                    + "nicht mehr anmelden."
            ],
            facts: names.facts(authenticator: "Gespeichert in", device: "Gerät", time: "Zeitpunkt"),
            warning: "Wenn du das nicht warst, ändere dein Passwort, und füge den Passkey wieder hinzu.")
    }
}
