/// The built-in mails in Arabic.
enum ArabicMails {
    static func words(_ names: MailNames) -> MailWords {
        MailWords(
            codeHint: "أو أدخل هذا الرمز في التطبيق:",
            linkHint: "إذا لم يعمل الزر، فانسخ هذا العنوان إلى متصفحك:",
            lifetime: names.lifetime.map { "مدة الصلاحية: \($0)." },
            footer: "أرسل \(names.app) هذه الرسالة إلى \(names.sendingTo).")
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
            subject: "أكّد بريدك الإلكتروني في \(names.plainApp)",
            title: "أكّد بريدك الإلكتروني",
            paragraphs: [
                "شكرًا لإنشاء حساب في \(names.app). يرجى تأكيد أن \(names.email) هو عنوان بريدك الإلكتروني."
            ],
            button: "تأكيد البريد الإلكتروني",
            warning: "إذا لم تنشئ حسابًا، فتجاهل هذه الرسالة. لا يمكن استخدام الحساب دون تأكيدك.")
    }

    private static func recovery(_ names: MailNames) -> Wording {
        Wording(
            subject: "إعادة تعيين كلمة المرور في \(names.plainApp)",
            title: "إعادة تعيين كلمة المرور",
            paragraphs: [
                "طلب شخص ما إعادة تعيين كلمة المرور لحسابك في \(names.app)، \(names.email). إذا كنت أنت "
                    + "من طلب ذلك، فعيّن كلمة مرور جديدة."
            ],
            button: "تعيين كلمة مرور جديدة",
            warning: "إذا لم تطلب ذلك، فتجاهل هذه الرسالة. ستبقى كلمة المرور كما هي.")
    }

    private static func magicLink(_ names: MailNames) -> Wording {
        Wording(
            subject: "تسجيل الدخول إلى \(names.plainApp)",
            title: "تسجيل الدخول إلى \(names.app)",
            paragraphs: [
                "استخدم هذا الرابط لتسجيل الدخول بالبريد \(names.email)."
            ],
            button: "تسجيل الدخول",
            warning: "إذا لم تطلب تسجيل الدخول، فتجاهل هذه الرسالة. لا تشارك الرابط أو الرمز مع أي شخص.")
    }

    private static func code(_ names: MailNames) -> Wording {
        Wording(
            subject: "رمزك في \(names.plainApp)",
            title: "رمز التأكيد",
            paragraphs: [
                "أدخل هذا الرمز في \(names.app) لتأكيد أن \(names.sendingTo) هو عنوان بريدك الإلكتروني."
            ],
            warning: "إذا لم تطلب رمزًا، فتجاهل هذه الرسالة. لا تشارك الرمز مع أي شخص: لن نطلبه منك أبدًا.")
    }

    private static func invite(_ names: MailNames) -> Wording {
        Wording(
            subject: "دعوة إلى \(names.plainApp)",
            title: "لديك دعوة",
            paragraphs: [
                "تمت دعوتك للانضمام إلى \(names.app) بالبريد \(names.email). اقبل الدعوة للحصول على حسابك."
            ],
            button: "قبول الدعوة",
            warning: "إذا كنت لا تريد الانضمام، فتجاهل هذه الرسالة.")
    }

    private static func reauthentication(_ names: MailNames) -> Wording {
        Wording(
            subject: "رمزك لتأكيد تغيير في \(names.plainApp)",
            title: "أكّد أنك صاحب الحساب",
            paragraphs: [
                "أنت على وشك تغيير شيء مهم في حسابك. أدخل هذا الرمز في \(names.app) للمتابعة."
            ],
            warning:
                "إذا لم تكن أنت من طلب ذلك، فقد يكون شخص آخر يستخدم حسابك. غيّر كلمة المرور، ولا تشارك "
                + "الرمز مع أي شخص.")
    }

    private static func emailChangeCurrent(_ names: MailNames) -> Wording {
        Wording(
            subject: "أكّد تغيير بريدك الإلكتروني في \(names.plainApp)",
            title: "تغيير بريدك الإلكتروني",
            paragraphs: [
                "سيتغيّر البريد الإلكتروني لحسابك في \(names.app) من \(names.email) إلى "
                    + "\(names.newEmail). يرجى تأكيد التغيير."
            ],
            button: "تأكيد التغيير",
            warning: "إذا لم تطلب ذلك، فلا تؤكّده، وغيّر كلمة المرور: فقد يكون شخص آخر يستخدم حسابك.")
    }

    private static func emailChangeNew(_ names: MailNames) -> Wording {
        Wording(
            subject: "أكّد بريدك الإلكتروني الجديد في \(names.plainApp)",
            title: "أكّد بريدك الإلكتروني الجديد",
            paragraphs: [
                "طلبت استخدام \(names.newEmail) لحسابك في \(names.app). يرجى تأكيد أنه عنوان بريدك الإلكتروني."
            ],
            button: "تأكيد البريد الإلكتروني",
            warning: "إذا لم تطلب ذلك، فتجاهل هذه الرسالة. سيحتفظ الحساب بعنوانه الحالي.")
    }

    private static func accountExists(_ names: MailNames) -> Wording {
        Wording(
            subject: "لديك حساب بالفعل في \(names.plainApp)",
            title: "لديك حساب بالفعل",
            paragraphs: [
                "حاول شخص ما، ربما أنت، إنشاء حساب في \(names.app) بالبريد \(names.email). لديك حساب "
                    + "بهذا العنوان بالفعل، لذلك لم يُنشأ حساب جديد.",
                names.hasLink
                    ? "سجّل الدخول كالمعتاد. إذا نسيت كلمة المرور، فعيّن كلمة مرور جديدة."
                    : "سجّل الدخول كالمعتاد. إذا نسيت كلمة المرور، فاطلب كلمة مرور جديدة في التطبيق.",
            ],
            button: "تعيين كلمة مرور جديدة",
            warning: "إذا لم تكن أنت، فلا حاجة إلى فعل أي شيء. لم يدخل أحد إلى حسابك.")
    }

    private static func passwordChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "تم تغيير كلمة المرور في \(names.plainApp)",
            title: "تم تغيير كلمة المرور",
            paragraphs: [
                "تم تغيير كلمة المرور لحسابك في \(names.app)، \(names.email)."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من غيّرها، فأعد تعيين كلمة المرور في التطبيق الآن، وسجّل خروج أجهزتك الأخرى.")
    }

    private static func emailChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "تم تغيير بريدك الإلكتروني في \(names.plainApp)",
            title: "تم تغيير بريدك الإلكتروني",
            paragraphs: [
                "تم تغيير البريد الإلكتروني لحسابك في \(names.app) من \(names.oldEmail) إلى "
                    + "\(names.email). من الآن فصاعدًا سنراسلك على العنوان الجديد."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من غيّره، فتواصل معنا فورًا: فقد يكون شخص آخر قد استولى على حسابك.")
    }

    private static func identityLinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "تمت إضافة طريقة لتسجيل الدخول إلى \(names.plainApp)",
            title: "تمت إضافة طريقة لتسجيل الدخول",
            paragraphs: [
                "يمكنك الآن تسجيل الدخول إلى حسابك في \(names.app)، \(names.email)، باستخدام \(names.provider)."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من أضافها، فأزل طريقة تسجيل الدخول هذه في التطبيق، وغيّر كلمة المرور.")
    }

    private static func identityUnlinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "تمت إزالة طريقة لتسجيل الدخول إلى \(names.plainApp)",
            title: "تمت إزالة طريقة لتسجيل الدخول",
            paragraphs: [
                "لم يعد بإمكانك تسجيل الدخول إلى حسابك في \(names.app)، \(names.email)، باستخدام \(names.provider)."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت من أزالها، فغيّر كلمة المرور، وأضف طريقة تسجيل الدخول مرة أخرى.")
    }

    private static func newDevice(_ names: MailNames) -> Wording {
        Wording(
            subject: "تسجيل دخول جديد إلى \(names.plainApp)",
            title: "تسجيل دخول جديد",
            paragraphs: [
                "سجّل جهاز جديد الدخول إلى حسابك في \(names.app)، \(names.email)."
            ],
            facts: names.facts(device: "الجهاز", time: "الوقت"),
            warning: "إذا لم تكن أنت، فسجّل خروج هذا الجهاز في التطبيق، وغيّر كلمة المرور.")
    }
}
