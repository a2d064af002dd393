/// The built-in mails in Spanish.
enum SpanishMails {
    static func words(_ names: MailNames) -> MailWords {
        MailWords(
            codeHint: "O introduce este código en la app:",
            linkHint: "Si el botón no funciona, copia esta dirección en tu navegador:",
            lifetime: names.lifetime.map { "Caduca en \($0)." },
            footer: "\(names.app) ha enviado este correo a \(names.sendingTo).")
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
            subject: "Confirma tu correo para \(names.plainApp)",
            title: "Confirma tu correo",
            paragraphs: [
                "Gracias por crear una cuenta en \(names.app). Confirma que \(names.email) es tu dirección de correo."
            ],
            button: "Confirmar correo",
            warning:
                "Si no has creado una cuenta, ignora este correo. Sin tu confirmación, la cuenta no se "
                + "puede usar.")
    }

    private static func recovery(_ names: MailNames) -> Wording {
        Wording(
            subject: "Restablece tu contraseña de \(names.plainApp)",
            title: "Restablece tu contraseña",
            paragraphs: [
                "Alguien ha pedido restablecer la contraseña de tu cuenta de \(names.app), "
                    + "\(names.email). Si has sido tú, elige una contraseña nueva."
            ],
            button: "Elegir una contraseña nueva",
            warning: "Si no has sido tú, ignora este correo. Tu contraseña no cambiará.")
    }

    private static func magicLink(_ names: MailNames) -> Wording {
        Wording(
            subject: "Inicia sesión en \(names.plainApp)",
            title: "Inicia sesión en \(names.app)",
            paragraphs: [
                "Usa este enlace para iniciar sesión como \(names.email)."
            ],
            button: "Iniciar sesión",
            warning:
                "Si no has pedido iniciar sesión, ignora este correo. No compartas el enlace ni el código "
                + "con nadie.")
    }

    private static func code(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tu código para \(names.plainApp)",
            title: "Tu código",
            paragraphs: [
                "Introduce este código en \(names.app) para demostrar que \(names.sendingTo) es tu "
                    + "dirección de correo."
            ],
            warning:
                "Si no has pedido ningún código, ignora este correo. No compartas el código con nadie: "
                + "nunca te lo pediremos.")
    }

    private static func invite(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tienes una invitación a \(names.plainApp)",
            title: "Tienes una invitación",
            paragraphs: [
                "Te han invitado a unirte a \(names.app) como \(names.email). Acepta la invitación para "
                    + "tener tu cuenta."
            ],
            button: "Aceptar la invitación",
            warning: "Si no quieres unirte, ignora este correo.")
    }

    private static func reauthentication(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tu código para confirmar un cambio en \(names.plainApp)",
            title: "Confirma que eres tú",
            paragraphs: [
                "Vas a cambiar algo importante de tu cuenta. Introduce este código en \(names.app) para continuar."
            ],
            warning:
                "Si no has sido tú, puede que alguien esté usando tu cuenta. Cambia tu contraseña y no "
                + "compartas el código con nadie.")
    }

    private static func emailChangeCurrent(_ names: MailNames) -> Wording {
        Wording(
            subject: "Confirma el cambio de tu correo de \(names.plainApp)",
            title: "Cambio de tu correo",
            paragraphs: [
                "El correo de tu cuenta de \(names.app) va a cambiar de \(names.email) a "
                    + "\(names.newEmail). Confirma el cambio."
            ],
            button: "Confirmar el cambio",
            warning:
                "Si no has sido tú, no lo confirmes y cambia tu contraseña: puede que alguien esté usando "
                + "tu cuenta.")
    }

    private static func emailChangeNew(_ names: MailNames) -> Wording {
        Wording(
            subject: "Confirma tu nuevo correo para \(names.plainApp)",
            title: "Confirma tu nuevo correo",
            paragraphs: [
                "Has pedido usar \(names.newEmail) para tu cuenta de \(names.app). Confirma que es tu "
                    + "dirección de correo."
            ],
            button: "Confirmar correo",
            warning: "Si no has sido tú, ignora este correo. La cuenta conservará su dirección actual.")
    }

    private static func accountExists(_ names: MailNames) -> Wording {
        Wording(
            subject: "Ya tienes una cuenta en \(names.plainApp)",
            title: "Ya tienes una cuenta",
            paragraphs: [
                "Alguien, quizá tú, ha intentado crear una cuenta en \(names.app) con el correo "
                    + "\(names.email). Ya tienes una cuenta con esta dirección, así que no se ha creado "
                    + "ninguna nueva.",
                names.hasLink
                    ? "Inicia sesión como siempre. Si has olvidado la contraseña, elige una nueva."
                    : "Inicia sesión como siempre. Si has olvidado la contraseña, pide una nueva en la app.",
            ],
            button: "Elegir una contraseña nueva",
            warning: "Si no has sido tú, no tienes que hacer nada. Nadie ha entrado en tu cuenta.")
    }

    private static func passwordChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tu contraseña de \(names.plainApp) ha cambiado",
            title: "Tu contraseña ha cambiado",
            paragraphs: [
                "La contraseña de tu cuenta de \(names.app), \(names.email), ha cambiado."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning:
                "Si no has sido tú, restablece ahora tu contraseña en la app y cierra la sesión en tus "
                + "otros dispositivos.")
    }

    private static func emailChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tu correo de \(names.plainApp) ha cambiado",
            title: "Tu correo ha cambiado",
            paragraphs: [
                "El correo de tu cuenta de \(names.app) ha cambiado de \(names.oldEmail) a "
                    + "\(names.email). A partir de ahora te escribiremos a la nueva dirección."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning:
                "Si no has sido tú, ponte en contacto con nosotros de inmediato: puede que alguien se haya "
                + "apoderado de tu cuenta.")
    }

    private static func identityLinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "Se ha añadido una forma de iniciar sesión en \(names.plainApp)",
            title: "Nueva forma de iniciar sesión",
            paragraphs: [
                "Ahora puedes iniciar sesión en tu cuenta de \(names.app), \(names.email), con \(names.provider)."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, elimina esta forma de iniciar sesión en la app y cambia tu contraseña.")
    }

    private static func identityUnlinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "Se ha eliminado una forma de iniciar sesión en \(names.plainApp)",
            title: "Forma de iniciar sesión eliminada",
            paragraphs: [
                "Ya no puedes iniciar sesión en tu cuenta de \(names.app), \(names.email), con \(names.provider)."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, cambia tu contraseña y vuelve a añadir esta forma de iniciar sesión.")
    }

    private static func newDevice(_ names: MailNames) -> Wording {
        Wording(
            subject: "Nuevo inicio de sesión en \(names.plainApp)",
            title: "Nuevo inicio de sesión",
            paragraphs: [
                "Un nuevo dispositivo ha iniciado sesión en tu cuenta de \(names.app), \(names.email)."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, cierra la sesión de este dispositivo en la app y cambia tu contraseña.")
    }
}
