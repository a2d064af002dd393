import Foundation
import MailTemplates

extension SettingsReader {
    /// - Returns: nil if a template is refused.
    mutating func mailWriter() -> MailWriter? {
        var overrides = MailOverrides()
        overrides.folder = text(MailTemplateSettings.folder).map { URL(fileURLWithPath: $0) }
        for settings in MailTemplateSettings.all {
            if let subject = given[settings.subject] {
                overrides.subjects[settings.name] = (subject.text, subject.origin)
            }
            guard let path = text(settings.file) else { continue }
            if path.contains("://") {
                refuse(settings.file, "expected the path of a file; a URL is not fetched")
            } else {
                overrides.files[settings.name] = URL(fileURLWithPath: path)
            }
        }
        do throws(MailTemplateProblems) {
            return try MailWriter(overrides)
        } catch {
            for problem in error.problems {
                refuse(name: problem.origin + (problem.line.map { ":\($0)" } ?? ""), problem.reason)
            }
            return nil
        }
    }
}
