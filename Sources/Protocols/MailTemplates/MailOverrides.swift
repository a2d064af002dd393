package import Foundation

package struct MailOverrides: Sendable {
    /// Origin: the name of its setting.
    package typealias Subject = (text: String, origin: String)

    /// With files such as `recovery.html` and `recovery.de.subject`.
    package var folder: URL?
    /// By ``MailTemplateKind/templateName``.
    package var subjects: [String: Subject]
    /// By ``MailTemplateKind/templateName``.
    package var files: [String: URL]

    package init(folder: URL? = nil, subjects: [String: Subject] = [:], files: [String: URL] = [:]) {
        (self.folder, self.subjects, self.files) = (folder, subjects, files)
    }
}

struct TemplatePlace: Hashable, Sendable {
    let name: String
    let language: MailLanguage?
    let format: OperatorTemplate.Format

    /// `recovery.html`, `recovery.de.txt`.
    init(fileName: String) throws(TemplateFault) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else {
            throw .unreadable("expected a name such as recovery.html or recovery.de.html")
        }
        guard MailTemplateKind.templateNames.contains(String(parts[0])) else {
            throw .unreadable(
                "\(parts[0]) is no kind of mail; there are " + MailTemplateKind.templateNames.joined(separator: ", "))
        }
        guard let format = Self.formats[parts[parts.count - 1]] else {
            throw .unreadable("expected the ending .html, .txt or .subject")
        }
        name = String(parts[0])
        self.format = format
        if parts.count == 2 {
            language = nil
        } else if let language = MailLanguage(rawValue: String(parts[1])) {
            self.language = language
        } else {
            throw .unreadable(
                "\(parts[1]) is no language of these mails; there are "
                    + MailLanguage.allCases.map(\.rawValue).joined(separator: ", "))
        }
    }

    init(_ name: String, _ language: MailLanguage?, _ format: OperatorTemplate.Format) {
        (self.name, self.language, self.format) = (name, language, format)
    }

    private static let formats: [Substring: OperatorTemplate.Format] = [
        "html": .html, "txt": .text, "subject": .subject,
    ]
}

struct OverrideReader {
    private(set) var templates: [TemplatePlace: OperatorTemplate] = [:]
    private(set) var problems: [MailTemplateProblems.Problem] = []

    init(_ overrides: MailOverrides) {
        for name in MailTemplateKind.templateNames {
            if let subject = overrides.subjects[name] {
                add(subject.text, TemplatePlace(name, nil, .subject), origin: subject.origin)
            }
            if let file = overrides.files[name] { read(file, TemplatePlace(name, nil, .html)) }
        }
        for name in overrides.subjects.keys.sorted() + overrides.files.keys.sorted()
        where !MailTemplateKind.templateNames.contains(name) {
            problems.append(.init(name, nil, "is no kind of mail"))
        }
        if let folder = overrides.folder { read(folder) }
    }

    private mutating func read(_ folder: URL) {
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        } catch {
            // Ignored: Foundation's description differs between systems.
            problems.append(.init(folder.path, nil, "is no folder that can be read"))
            return
        }
        for file in files.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
            do throws(TemplateFault) {
                read(file, try TemplatePlace(fileName: file.lastPathComponent))
            } catch {
                problems.append(.init(file.path, nil, error.description))
            }
        }
    }

    private mutating func read(_ file: URL, _ place: TemplatePlace) {
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: file)
            data = try handle.read(upToCount: OperatorTemplate.fileLimit + 1) ?? Data()
        } catch {
            // Ignored: as above.
            problems.append(.init(file.path, nil, "cannot be read"))
            return
        }
        guard data.count <= OperatorTemplate.fileLimit else {
            problems.append(.init(file.path, nil, "is longer than \(OperatorTemplate.fileLimit / 1_024) KiB"))
            return
        }
        // A byte order mark would be the email's first character.
        guard let text = String(validating: data.trimmingPrefix([0xEF, 0xBB, 0xBF]), as: UTF8.self) else {
            problems.append(.init(file.path, nil, "is not UTF-8 text"))
            return
        }
        add(text, place, origin: file.path)
    }

    private mutating func add(_ text: String, _ place: TemplatePlace, origin: String) {
        guard templates[place] == nil else {
            problems.append(.init(origin, nil, "replaces what another setting replaces already: keep one of them"))
            return
        }
        do throws(TemplateFaults) {
            templates[place] = try OperatorTemplate(text, place.format, for: MailTemplateKind.named(place.name))
        } catch {
            problems += error.faults.map { .init(origin, $0.line, $0.fault.description) }
        }
    }
}
