import MailTemplates

/// The settings of one kind of mail, with Supabase's names.
struct MailTemplateSettings: Sendable {
    /// ``MailTemplateKind/templateName``
    let name: String
    let subject, file: Setting

    static let folder = Setting(
        "mailer_templates", .none, .text(),
        "Path of a folder with templates of mails, see [mails.md](mails.md).")

    /// The kinds that Supabase Auth has; the folder has templates of all.
    static let all: [MailTemplateSettings] = [
        "confirmation", "invite", "recovery", "magic_link", "email_change", "reauthentication",
        "password_changed_notification", "email_changed_notification", "identity_linked_notification",
        "identity_unlinked_notification", "mfa_factor_enrolled_notification", "mfa_factor_unenrolled_notification",
    ].map(MailTemplateSettings.init)

    private init(_ name: String) {
        self.name = name
        let words = name.split(separator: "_").joined(separator: " ")
        subject = Setting("mailer_subjects_\(name)", .gotrue, .text(), "The subject of the mail \"\(words)\".")
        file = Setting(
            "mailer_templates_\(name)", .gotrue, .text(),
            "Path of the HTML of the mail \"\(words)\". A file: a URL is not fetched.")
    }

    static var settings: [Setting] { [folder] + all.flatMap { [$0.subject, $0.file] } }
}
