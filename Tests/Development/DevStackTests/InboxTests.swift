import DevStack
import Foundation
import GatehouseWire
import TestDatabases
import Testing

@Suite("The inbox of a dev server")
struct InboxTests {
    private let scratch: Scratch
    private var folder: String { scratch.path + "/inbox" }

    init() throws { scratch = try Scratch() }

    private static func mail(
        _ number: Int, to recipient: String = "ada@example.com", subject: String = "Confirm", text: String = "Hello"
    ) -> InboxMail {
        InboxMail(
            id: "mail-\(number)", sentAt: Instant(seconds: 1_800_000_000 + Int64(number)), recipient: recipient,
            subject: subject, text: text, html: "<p>Hello</p>", source: "To: \(recipient)\r\n\r\n",
            link: "http://127.0.0.1:9999/auth/v1/verify?token=x", code: "042917")
    }

    private static func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("Mails are listed newest first, also after a restart")
    func order() throws {
        let inbox = try Inbox(folder: folder)
        for number in 1...3 { try inbox.keep(Self.mail(number)) }
        #expect(inbox.mails() == [Self.mail(3), Self.mail(2), Self.mail(1)])
        let again = try Inbox(folder: folder)
        #expect(again.mails() == inbox.mails())
        try again.keep(Self.mail(4))
        #expect(try Inbox(folder: folder).mails().first == Self.mail(4))
    }

    @Test("Only the owner can read the folder")
    func permissions() throws {
        _ = try Inbox(folder: folder)
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
    }

    @Test("The oldest mails go when there are too many")
    func count() throws {
        let inbox = try Inbox(folder: folder)
        for number in 0...Inbox.maximumCount { try inbox.keep(Self.mail(number)) }
        #expect(inbox.mails().count == Inbox.maximumCount)
        #expect(inbox.mails().last == Self.mail(1))
        #expect(try Self.files(folder).count == Inbox.maximumCount)
    }

    @Test("The oldest mails go when they are too long, but never the newest")
    func bytes() throws {
        let inbox = try Inbox(folder: folder)
        let half = String(repeating: "x", count: Inbox.maximumBytes / 2)
        for number in 1...2 { try inbox.keep(Self.mail(number, text: half)) }
        #expect(inbox.mails().map(\.id) == ["mail-2"])
        try inbox.keep(Self.mail(3, text: half + half))
        #expect(inbox.mails().map(\.id) == ["mail-3"])
        #expect(try Self.files(folder).count == 1)
    }

    @Test("A second copy of a mail replaces the first")
    func copies() throws {
        let inbox = try Inbox(folder: folder)
        for number in [1, 2, 1] { try inbox.keep(Self.mail(number)) }
        #expect(inbox.mails().map(\.id) == ["mail-1", "mail-2"])
        #expect(try Self.files(folder).count == 2)
    }

    @Test("A damaged file is deleted, and other files are left alone")
    func damage() throws {
        try Inbox(folder: folder).keep(Self.mail(1))
        for (name, text) in [("000000000002.json", "{"), ("000000000003.json", "{}"), ("notes.txt", "mine")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        let inbox = try Inbox(folder: folder)
        #expect(inbox.mails() == [Self.mail(1)])
        #expect(try Self.files(folder) == ["000000000001.json", "notes.txt"])
        try inbox.keep(Self.mail(2))
        #expect(inbox.mails().map(\.id) == ["mail-2", "mail-1"])
    }

    @Test("A mail that cannot be stored is not kept")
    func unwritable() throws {
        let inbox = try Inbox(folder: folder)
        try FileManager.default.removeItem(atPath: folder)
        #expect(throws: (any Error).self) { try inbox.keep(Self.mail(1)) }
        #expect(inbox.mails().isEmpty)
    }

    @Test(
        "A search finds every word in address, subject, text and code, in any case",
        arguments: [
            ("", [2, 1]), ("grace", [2]), ("RESET grace", [2]), ("reset ada", []), ("042917", [2, 1]), ("größe", [1]),
            ("  ", [2, 1]), ("nothing", []),
        ])
    func search(text: String, numbers: [Int]) throws {
        let inbox = try Inbox(folder: folder)
        try inbox.keep(Self.mail(1, text: "GRÖSSE und Größe"))
        try inbox.keep(Self.mail(2, to: "grace@example.com", subject: "Reset your password"))
        #expect(inbox.mails(containing: text).map(\.id) == numbers.map { "mail-\($0)" })
    }
}
