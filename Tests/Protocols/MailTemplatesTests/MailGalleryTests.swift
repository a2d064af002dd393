import Foundation
import Testing

@testable import MailTemplates

/// Writes all emails to the folder `GATEHOUSE_MAIL_GALLERY`, for people who look at them:
/// `Scripts/documentation/photograph-mails` takes their pictures.
@Suite("The gallery of mails", .enabled(if: ProcessInfo.processInfo.environment["GATEHOUSE_MAIL_GALLERY"] != nil))
struct MailGalleryTests {
    @Test("It has each kind in each language", arguments: Case.all)
    func written(_ mail: Case) throws {
        let folder = URL(fileURLWithPath: try #require(ProcessInfo.processInfo.environment["GATEHOUSE_MAIL_GALLERY"]))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let rendered = try MailWriter().sample(mail.kind, mail.language)
        let name = "\(mail.kind.rawValue).\(mail.language.rawValue)"
        for (ending, text) in [("html", rendered.html), ("txt", rendered.text), ("subject", rendered.subject)] {
            try Data(text.utf8).write(to: folder.appending(path: "\(name).\(ending)"))
        }
    }
}
