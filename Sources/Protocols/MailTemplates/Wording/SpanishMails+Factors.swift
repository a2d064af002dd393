// The mails about second factors.
extension SpanishMails {
    static func factorEnrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tu cuenta de \(names.plainApp) tiene un nuevo segundo factor",
            title: "Nuevo segundo factor",
            paragraphs: [
                "Tu cuenta de \(names.app), \(names.email), tiene un nuevo segundo factor: \(factor(names)). A "
                    + "partir de ahora te pediremos un segundo factor al iniciar sesión."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, restablece tu contraseña y ponte en contacto con nosotros.")
    }

    static func factorUnenrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "Se ha eliminado un segundo factor de tu cuenta de \(names.plainApp)",
            title: "Segundo factor eliminado",
            paragraphs: [
                "Se ha eliminado un segundo factor de tu cuenta de \(names.app), \(names.email): "
                    + "\(factor(names))."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, cambia tu contraseña y vuelve a añadir el segundo factor.")
    }

    static func factorRemoval(_ names: MailNames) -> Wording {
        Wording(
            subject: "Se va a eliminar un segundo factor de tu cuenta de \(names.plainApp)",
            title: "Segundo factor por eliminar",
            paragraphs: [
                "El \(names.removalTime) eliminaremos un segundo factor de tu cuenta de \(names.app), "
                    + "\(names.email): \(factor(names)). Alguien nos ha dicho que se ha perdido."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no lo has pedido tú, inicia sesión con tu segundo factor, lo que detiene la eliminación, y "
                + "ponte en contacto con nosotros.")
    }

    private static func factor(_ names: MailNames) -> String {
        switch names.factorType {
        case "webauthn": "una llave de seguridad"
        case "recovery_code": "códigos de recuperación"
        default: "una app de autenticación"
        }
    }
}

// The mails about recovery codes and passkeys.
extension SpanishMails {
    static func recoveryCodeUsed(_ names: MailNames) -> Wording {
        Wording(
            subject: "Se ha usado un código de recuperación de tu cuenta de \(names.plainApp)",
            title: "Código de recuperación usado",
            paragraphs: [
                "Se ha usado un código de recuperación de tu cuenta de \(names.app), \(names.email), en lugar de un "
                    + "segundo factor. Ese código ya no sirve."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, cambia tu contraseña y crea nuevos códigos de recuperación.")
    }

    static func recoveryCodesReplaced(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tu cuenta de \(names.plainApp) tiene nuevos códigos de recuperación",
            title: "Nuevos códigos de recuperación",
            paragraphs: [
                "Tu cuenta de \(names.app), \(names.email), tiene nuevos códigos de recuperación. Los anteriores ya no "
                    + "sirven."
            ],
            facts: names.facts(device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, cambia tu contraseña y crea nuevos códigos de recuperación.")
    }

    static func passkeyCreated(_ names: MailNames) -> Wording {
        Wording(
            subject: "Tu cuenta de \(names.plainApp) tiene una nueva llave de acceso",
            title: "Nueva llave de acceso",
            paragraphs: [
                "Tu cuenta de \(names.app), \(names.email), tiene una nueva llave de acceso. Con ella se inicia sesión "
                    + "sin contraseña."
            ],
            facts: names.facts(authenticator: "Guardada en", device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, elimina esta llave de acceso en la app y cambia tu contraseña.")
    }

    static func passkeyDeleted(_ names: MailNames) -> Wording {
        Wording(
            subject: "Se ha eliminado una llave de acceso de tu cuenta de \(names.plainApp)",
            title: "Llave de acceso eliminada",
            paragraphs: [
                "Se ha eliminado una llave de acceso de tu cuenta de \(names.app), \(names.email). Ya no permite "
                    + "iniciar sesión."
            ],
            facts: names.facts(authenticator: "Guardada en", device: "Dispositivo", time: "Hora"),
            warning: "Si no has sido tú, cambia tu contraseña y vuelve a añadir la llave de acceso.")
    }
}
