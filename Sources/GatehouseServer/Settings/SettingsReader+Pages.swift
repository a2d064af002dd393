import Foundation
package import GatehouseWire
import MailTemplates
import WebPages

extension SettingsReader {
    /// nil if the pages are off.
    ///
    /// - Parameter parts: Pages alone are always on.
    mutating func pages(_ auth: AuthURLs, _ parts: Set<ServedPart>) -> PageSettings? {
        guard flag(.accountPages) || parts == [.pages] else { return nil }
        let origin = webAddress(.accountPagesURL) ?? Self.origin(of: auth.external)
        guard URLParts(origin)?.rest == "" else {
            refuse(.accountPagesURL, "expected an origin such as https://accounts.example.org, without a path")
            return nil
        }
        if flag(.requireAPIKey), list(.publishableKeys).isEmpty {
            refuse(.accountPages, "needs a key in \(Setting.publishableKeys.environmentName): keys are required")
        }
        if flag(.captchaEnabled) {
            refuse(
                .accountPages,
                "cannot be used with \(Setting.captchaEnabled.environmentName): the pages show no captchas, so each of "
                    + "their forms would be refused")
        }
        var pages = PageSettings(origin: origin, authURL: auth.external)
        pages.apiKey = list(.publishableKeys).first.map(Secret.init)
        pages.hasGateway = parts.contains(.gateway) || parts == [.pages]
        pages.branding = branding(host: URLParts(origin)?.host ?? "")
        return pages
    }

    struct AuthURLs { let external: String }

    /// nil if the console is off.
    mutating func console(_ auth: AuthURLs) -> PageSettings? {
        guard flag(.console) else { return nil }
        let origin = Self.origin(of: auth.external)
        var pages = PageSettings(origin: origin, authURL: auth.external)
        pages.apiKey = list(.publishableKeys).first.map(Secret.init)
        pages.branding.name = text(.accountPagesName) ?? URLParts(origin)?.host ?? ""
        return pages
    }

    private mutating func branding(host: String) -> Branding {
        var branding = Branding()
        branding.name = text(.accountPagesName) ?? host
        if let color = text(.accountPagesAccent) {
            branding.accent = AccentColor(color)
            if branding.accent == nil { refuse(.accountPagesAccent, "expected a color such as #1a56db") }
        }
        if let path = text(.accountPagesSymbol) {
            // Lost: why the file cannot be read.
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))).map { Array($0) }
            branding.symbol = bytes.flatMap { Branding.Symbol($0) }
            if branding.symbol == nil { refuse(.accountPagesSymbol, "expected a PNG or SVG of at most 64 KiB") }
        }
        if let folder = text(.accountPagesTexts) { branding.texts = texts(in: folder) }
        return branding
    }

    /// The files that are there, by language.
    private mutating func texts(in folder: String) -> [MailLanguage: [ExternalName: String]] {
        var texts: [MailLanguage: [ExternalName: String]] = [:]
        for language in MailLanguage.allCases {
            let name = "\(language.rawValue).json"
            let file = URL(fileURLWithPath: folder).appending(path: name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            do {
                texts[language] = try Branding.texts(Array(GivenSettings.readText(file.path).utf8))
            } catch Branding.TextProblem.unknown(let text) {
                refuse(.accountPagesTexts, "\(name) has a text that the pages do not have: \(text)")
            } catch Branding.TextProblem.otherArguments(let text) {
                refuse(.accountPagesTexts, "\(name) has another number of %@ than the text: \(text)")
            } catch {
                refuse(.accountPagesTexts, "\(name) is not a JSON object of texts")
            }
        }
        if texts.isEmpty { refuse(.accountPagesTexts, "names a folder without a file such as en.json") }
        return texts
    }
}

extension ServerSettings {
    /// Lets this machine into the console without a password, as `gatehouse dev` does.
    ///
    /// - Parameters:
    ///   - secretKey: What the console signs in with.
    ///   - randomBytes: A cryptographically secure source.
    /// - Returns: The path and query of a link that signs in once.
    package mutating func openConsole(
        _ secretKey: Secret, randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) -> String {
        let entry = ConsoleEntry(secretKey: secretKey, randomBytes: randomBytes)
        console?.entry = entry
        return entry.firstPath
    }
}
