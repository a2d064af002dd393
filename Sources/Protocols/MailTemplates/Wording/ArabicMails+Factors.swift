// The mails about second factors.
extension ArabicMails {
    static func factorEnrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "أُضيف عامل تحقق ثانٍ إلى حسابك في \(names.plainApp)",
            title: "عامل تحقق ثانٍ جديد",
            paragraphs: [
                "أُضيف عامل تحقق ثانٍ إلى حسابك في \(names.app)، \(names.email): \(factor(names)). من الآن "
                    + "فصاعدًا سنطلب عامل تحقق ثانيًا عند تسجيل الدخول."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من أضافه، فأعد تعيين كلمة المرور وتواصل معنا.")
    }

    static func factorUnenrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "أُزيل عامل تحقق ثانٍ من حسابك في \(names.plainApp)",
            title: "أُزيل عامل تحقق ثانٍ",
            paragraphs: [
                "أُزيل عامل تحقق ثانٍ من حسابك في \(names.app)، \(names.email): \(factor(names))."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من أزاله، فغيّر كلمة المرور، وأضف عامل التحقق الثاني مرة أخرى.")
    }

    static func factorRemoval(_ names: MailNames) -> Wording {
        Wording(
            subject: "ستتم إزالة عامل تحقق ثانٍ من حسابك في \(names.plainApp)",
            title: "إزالة مرتقبة لعامل تحقق ثانٍ",
            paragraphs: [
                "سنزيل في \(names.removalTime) عامل تحقق ثانيًا من حسابك في \(names.app)، \(names.email): "
                    + "\(factor(names)). أبلغنا أحدهم بفقدانه."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تطلب ذلك، فسجّل الدخول باستخدام عامل التحقق الثاني، فهذا يوقف الإزالة، وتواصل معنا.")
    }

    private static func factor(_ names: MailNames) -> String {
        switch names.factorType {
        case "webauthn": "مفتاح أمان"
        case "recovery_code": "رموز استرداد"
        default: "تطبيق مصادقة"
        }
    }
}

// The mails about recovery codes and passkeys.
extension ArabicMails {
    static func recoveryCodeUsed(_ names: MailNames) -> Wording {
        Wording(
            subject: "استُخدم رمز استرداد لحسابك في \(names.plainApp)",
            title: "استُخدم رمز استرداد",
            paragraphs: [
                "استُخدم رمز استرداد لحسابك في \(names.app)، \(names.email)، بدلًا من عامل التحقق الثاني. "
                    + "لن يعمل هذا الرمز مرة أخرى."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من استخدمه، فغيّر كلمة المرور وأنشئ رموز استرداد جديدة.")
    }

    static func recoveryCodesReplaced(_ names: MailNames) -> Wording {
        Wording(
            subject: "أُنشئت رموز استرداد جديدة لحسابك في \(names.plainApp)",
            title: "رموز استرداد جديدة",
            paragraphs: [
                "أُنشئت رموز استرداد جديدة لحسابك في \(names.app)، \(names.email). لم تعد الرموز السابقة تعمل."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من أنشأها، فغيّر كلمة المرور وأنشئ رموز استرداد جديدة.")
    }

    static func passkeyCreated(_ names: MailNames) -> Wording {
        Wording(
            subject: "أُضيف مفتاح مرور جديد إلى حسابك في \(names.plainApp)",
            title: "مفتاح مرور جديد",
            paragraphs: [
                "أُضيف مفتاح مرور جديد إلى حسابك في \(names.app)، \(names.email). يمكن تسجيل الدخول به دون كلمة "
                    + "مرور."
            ],
            facts: names.facts(authenticator: "محفوظ في", device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من أضافه، فاحذف مفتاح المرور هذا في التطبيق وغيّر كلمة المرور.")
    }

    static func passkeyDeleted(_ names: MailNames) -> Wording {
        Wording(
            subject: "حُذف مفتاح مرور من حسابك في \(names.plainApp)",
            title: "حُذف مفتاح مرور",
            paragraphs: [
                "حُذف مفتاح مرور من حسابك في \(names.app)، \(names.email). لم يعد يمكن تسجيل الدخول به."
            ],
            facts: names.facts(authenticator: "محفوظ في", device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من حذفه، فغيّر كلمة المرور وأضف مفتاح المرور مرة أخرى.")
    }
}
