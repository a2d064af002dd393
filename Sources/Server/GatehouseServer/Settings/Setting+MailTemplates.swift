import MailTemplates

/// With Supabase's names.
struct MailTemplateSettings: Sendable {
    /// ``MailTemplateKind/templateName``
    let name: String
    let subject, file: Setting

    static let folder = Setting(
        "mailer_templates", .none, .text(),
        "Path of a folder of [email templates](mails.md).")

    /// The kinds of Supabase Auth; the folder has templates of all.
    static let all: [MailTemplateSettings] = [
        "confirmation", "invite", "recovery", "magic_link", "email_change", "reauthentication",
        "password_changed_notification", "email_changed_notification", "phone_changed_notification",
        "identity_linked_notification", "identity_unlinked_notification", "mfa_factor_enrolled_notification",
        "mfa_factor_unenrolled_notification",
    ].map(MailTemplateSettings.init)

    private init(_ name: String) {
        self.name = name
        subject = Setting(
            "mailer_subjects_\(name)", .gotrue, .text(), "Subject of this email.",
            documentedKey: "mailer_subjects_<email>")
        file = Setting(
            "mailer_templates_\(name)", .gotrue, .text(),
            "Path of this email's HTML file, not a URL.", documentedKey: "mailer_templates_<email>")
    }

    static var settings: [Setting] { [folder] + all.flatMap { [$0.subject, $0.file] } }
}
