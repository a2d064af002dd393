import Foundation
import GatehouseWire
package import MailTemplates
import WebPages

/// With the contents last read.
package struct BrandingFiles: Sendable {
    /// A folder with a file for each language.
    let texts: String?
    let symbol: String?
    private(set) var contents: [BrandingFile: BrandingContents] = [:]

    /// Ten times all texts of the pages.
    static let longestTexts = 262_144

    init(texts: String?, symbol: String?) { (self.texts, self.symbol) = (texts, symbol) }

    var all: [BrandingFile] {
        (texts == nil ? [] : MailLanguage.allCases.map(BrandingFile.texts)) + (symbol == nil ? [] : [.symbol])
    }

    mutating func read() -> [BrandingFile] {
        let changed = all.filter { file in
            let found = contents(of: file)
            defer { contents[file] = found }
            return contents[file] != found
        }
        return changed
    }

    /// - Throws: ``BrandingProblem``, which leaves `branding` unchanged.
    func apply(_ file: BrandingFile, to branding: inout Branding) throws(BrandingProblem) {
        switch (file, contents[file]) {
        case (_, nil): return
        case (.texts, .unreadable(.tooLong)): throw BrandingProblem("is longer than 256 KiB")
        case (.symbol, .unreadable(.tooLong)): throw BrandingProblem("is longer than 64 KiB")
        case (_, .unreadable(let reason)): throw BrandingProblem("cannot be read: \(reason)")
        case (.texts(let language), .missing): branding.texts[language] = nil
        case (.texts(let language), .bytes(let bytes)): branding.texts[language] = try Self.texts(bytes)
        case (.symbol, .missing): throw BrandingProblem("is not there")
        case (.symbol, .bytes(let bytes)):
            guard let symbol = Branding.Symbol(bytes) else { throw BrandingProblem("is not a PNG or SVG") }
            branding.symbol = symbol
        }
    }

    private static func texts(_ bytes: [UInt8]) throws(BrandingProblem) -> [ExternalName: String] {
        do {
            return try Branding.texts(bytes)
        } catch Branding.TextProblem.unknown(let text) {
            throw BrandingProblem("has a text that the pages do not have: \(text.cut(to: 200))")
        } catch Branding.TextProblem.otherArguments(let text) {
            throw BrandingProblem("has another number of %@ than the text: \(text.cut(to: 200))")
        } catch Branding.TextProblem.tooLong(let text) {
            throw BrandingProblem("has more than \(Branding.longestText) bytes for the text: \(text.cut(to: 200))")
        } catch {
            throw BrandingProblem("is not a JSON object of texts")
        }
    }

    private func contents(of file: BrandingFile) -> BrandingContents {
        guard let path = path(of: file) else { return .missing }
        do throws(UnreadableFile) {
            let most = file == .symbol ? Branding.Symbol.maximumBytes : Self.longestTexts
            return .bytes(try GivenSettings.readBytes(path, atMost: most, waitsForPipe: false))
        } catch .system(ENOENT) where file == .symbol || isFolderThere {
            return .missing
        } catch {
            return .unreadable(error)
        }
    }

    private func path(of file: BrandingFile) -> String? {
        switch file {
        case .texts: texts.map { $0 + "/" + file.name }
        case .symbol: symbol
        }
    }

    /// A missing folder may be a failed mount, and does not mean that its files were deleted.
    var isFolderThere: Bool { texts.map { FileManager.default.fileExists(atPath: $0) } ?? false }

    /// The folder has a file of texts, usable or not.
    var haveTexts: Bool { contents.contains { $0 != .symbol && isFolderThere && $1 != .missing } }
}

package enum BrandingFile: Hashable, Sendable {
    case texts(MailLanguage)
    case symbol

    var name: String {
        switch self {
        case .texts(let language): "\(language.rawValue).json"
        case .symbol: "the symbol"
        }
    }
}

package enum BrandingContents: Equatable, Sendable {
    case missing
    case bytes([UInt8])
    case unreadable(UnreadableFile)
}

/// The rest of a sentence about the file.
package struct BrandingProblem: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
