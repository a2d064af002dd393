// The mails about second factors.
extension JapaneseMails {
    static func factorEnrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントに2つ目の認証方法が追加されました",
            title: "2つ目の認証方法が追加されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）に2つ目の認証方法（\(factor(names))）が追加されました。今後はサインインのときに2つ目の認証方法が必要です。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、パスワードを再設定し、お問い合わせください。")
    }

    static func factorUnenrolled(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントから2つ目の認証方法が削除されました",
            title: "2つ目の認証方法が削除されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）から2つ目の認証方法（\(factor(names))）が削除されました。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、パスワードを変更し、2つ目の認証方法をもう一度追加してください。")
    }

    static func factorRemoval(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントから2つ目の認証方法が削除されます",
            title: "2つ目の認証方法の削除予定",
            paragraphs: [
                "\(names.removalTime)に、\(names.app)のアカウント（\(names.email)）から2つ目の認証方法（\(factor(names))）を削除します。紛失したとの連絡を受けました。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、2つ目の認証方法でサインインしてください。削除が取り消されます。その後、お問い合わせください。")
    }

    private static func factor(_ names: MailNames) -> String {
        switch names.factorType {
        case "webauthn": "セキュリティキー"
        case "recovery_code": "リカバリーコード"
        default: "認証アプリ"
        }
    }
}

// The mails about recovery codes and passkeys.
extension JapaneseMails {
    static func recoveryCodeUsed(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントのリカバリーコードが使用されました",
            title: "リカバリーコードが使用されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）で、2つ目の認証方法の代わりにリカバリーコードが使用されました。このコードはもう使えません。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、パスワードを変更し、新しいリカバリーコードを作成してください。")
    }

    static func recoveryCodesReplaced(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントのリカバリーコードが新しくなりました",
            title: "リカバリーコードが新しくなりました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）で新しいリカバリーコードが作成されました。これまでのコードは使えません。"
            ],
            facts: names.facts(device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、パスワードを変更し、新しいリカバリーコードを作成してください。")
    }

    static func passkeyCreated(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントにパスキーが追加されました",
            title: "パスキーが追加されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）に新しいパスキーが追加されました。このパスキーではパスワードなしでサインインできます。"
            ],
            facts: names.facts(authenticator: "保存先", device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、アプリでこのパスキーを削除し、パスワードを変更してください。")
    }

    static func passkeyDeleted(_ names: MailNames) -> Wording {
        Wording(
            subject: "\(names.plainApp)のアカウントからパスキーが削除されました",
            title: "パスキーが削除されました",
            paragraphs: [
                "\(names.app)のアカウント（\(names.email)）からパスキーが削除されました。このパスキーではサインインできなくなりました。"
            ],
            facts: names.facts(authenticator: "保存先", device: "デバイス", time: "日時"),
            warning: "心当たりがない場合は、パスワードを変更し、パスキーをもう一度追加してください。")
    }
}
