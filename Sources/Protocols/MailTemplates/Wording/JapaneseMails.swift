/// The built-in mails in Japanese.
enum JapaneseMails {
    static func words(_ names: MailNames) -> MailWords {
        MailWords(
            codeHint: "または、アプリに次のコードを入力してください：",
            linkHint: "ボタンが機能しない場合は、次のアドレスをブラウザに貼り付けてください：",
            lifetime: names.lifetime.map { "有効期限：\($0)" },
            footer: "このメールは、\(names.app)から\(names.sendingTo)宛てに送信されました。")
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
            subject: "\(names.plainApp)：メールアドレスの確認",
            title: "メールアドレスの確認",
            paragraphs: [
                "\(names.app)にご登録いただきありがとうございます。\(names.email)がご自身のメールアドレスであることを確認してください。"
            ],
            button: "メールアドレスを確認",
            warning: "登録した覚えがない場合は、このメールを無視してください。確認されるまで、アカウントは使用できません。")
    }

    private static func recovery(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)：パスワードの再設定",
            title: "パスワードの再設定",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）について、パスワードの再設定がリクエストされました。ご自身によるものであれば、新しいパスワードを設定してください。"
            ],
            button: "新しいパスワードを設定",
            warning: "心当たりがない場合は、このメールを無視してください。パスワードは変更されません。")
    }

    private static func magicLink(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)にサインイン",
            title: "\(names.app)にサインイン",
            paragraphs: [
                "このリンクを使って、\(names.email)としてサインインできます。"
            ],
            button: "サインイン",
            warning: "サインインをリクエストしていない場合は、このメールを無視してください。リンクやコードを他の人に教えないでください。")
    }

    private static func code(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)の確認コード",
            title: "確認コード",
            paragraphs: [
                "\(names.sendingTo)がご自身のメールアドレスであることを確認するため、\(names.app)にこのコードを入力してください。"
            ],
            warning: "コードをリクエストしていない場合は、このメールを無視してください。コードを他の人に教えないでください。こちらからコードをお尋ねすることはありません。")
    }

    private static func invite(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)への招待",
            title: "招待が届いています",
            paragraphs: [
                "\(names.app)に\(names.email)として招待されています。招待を承諾すると、アカウントを作成できます。"
            ],
            button: "招待を承諾",
            warning: "参加しない場合は、このメールを無視してください。")
    }

    private static func reauthentication(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)：変更を確認するためのコード",
            title: "ご本人であることの確認",
            paragraphs: [
                "アカウントの重要な情報を変更しようとしています。続けるには、\(names.app)にこのコードを入力してください。"
            ],
            warning: "心当たりがない場合は、他の人があなたのアカウントを使っている可能性があります。パスワードを変更し、コードを誰にも教えないでください。")
    }

    private static func emailChangeCurrent(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)：メールアドレス変更の確認",
            title: "メールアドレスの変更",
            paragraphs: [
                "\(names.app)のアカウントのメールアドレスを、\(names.email)から\(names.newEmail)に変更しようとしています。変更を確認してください。"
            ],
            button: "変更を確認",
            warning: "心当たりがない場合は、確認せずにパスワードを変更してください。他の人があなたのアカウントを使っている可能性があります。")
    }

    private static func emailChangeNew(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)：新しいメールアドレスの確認",
            title: "新しいメールアドレスの確認",
            paragraphs: [
                "\(names.app)のアカウントで\(names.newEmail)を使うリクエストがありました。ご自身のメールアドレスであることを確認してください。"
            ],
            button: "メールアドレスを確認",
            warning: "心当たりがない場合は、このメールを無視してください。アカウントのメールアドレスは変わりません。")
    }

    private static func accountExists(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントはすでにあります",
            title: "アカウントはすでにあります",
            paragraphs: [
                "\(names.email)で\(names.app)に登録しようとした人がいます（ご自身かもしれません）。このメールアドレスのアカウントはすでにあるため、新しいアカウントは作成されませんでした。",
                names.hasLink
                    ? "いつもどおりサインインしてください。パスワードをお忘れの場合は、新しいパスワードを設定してください。"
                    : "いつもどおりサインインしてください。パスワードをお忘れの場合は、アプリで再設定してください。",
            ],
            button: "新しいパスワードを設定",
            warning: "心当たりがない場合も、何もする必要はありません。あなたのアカウントには誰もアクセスしていません。")
    }

    private static func passwordChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のパスワードが変更されました",
            title: "パスワードが変更されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）のパスワードが変更されました。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、すぐにアプリでパスワードを再設定し、ほかのデバイスをサインアウトしてください。")
    }

    private static func emailChanged(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のメールアドレスが変更されました",
            title: "メールアドレスが変更されました",
            paragraphs: [
                "\(names.app)のアカウントのメールアドレスが、\(names.oldEmail)から\(names.email)に変更されました。今後のメールは新しいアドレスにお送りします。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、すぐにご連絡ください。アカウントが乗っ取られた可能性があります。")
    }

    private static func identityLinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)にサインイン方法が追加されました",
            title: "サインイン方法が追加されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）に、\(names.provider)でサインインできるようになりました。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、アプリでこのサインイン方法を削除し、パスワードを変更してください。")
    }

    private static func identityUnlinked(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のサインイン方法が削除されました",
            title: "サインイン方法が削除されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）に、\(names.provider)ではサインインできなくなりました。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、パスワードを変更し、サインイン方法をもう一度追加してください。")
    }

    private static func newDevice(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)への新しいサインイン",
            title: "新しいサインイン",
            paragraphs: [
                "新しいデバイスが\(names.app)のアカウント（\(names.email)）にサインインしました。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、アプリでこのデバイスをサインアウトし、パスワードを変更してください。")
    }
}
