import AuthServer
package import GatehouseWire
import WebPages

extension SettingsReader {
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
            _ = required(.captchaSiteKey, "the account pages show captchas with the public key that the provider gave")
        }
        var pages = PageSettings(origin: origin, authURL: auth.external)
        pages.apiKey = list(.publishableKeys).first.map(Secret.init)
        pages.hasGateway = parts.contains(.gateway) || parts == [.pages]
        pages.branding = branding(host: URLParts(origin)?.host ?? "")
        pages.captcha = captchaWidget()
        return pages
    }

    struct AuthURLs { let external: String }

    mutating func console(_ auth: AuthURLs) -> PageSettings? {
        guard flag(.console) else { return nil }
        let origin = Self.origin(of: auth.external)
        var pages = PageSettings(origin: origin, authURL: auth.external)
        pages.apiKey = list(.publishableKeys).first.map(Secret.init)
        pages.traceLink = traceLink()
        pages.branding.name = text(.accountPagesName) ?? URLParts(origin)?.host ?? ""
        pages.captcha = captchaWidget()
        return pages
    }

    private mutating func branding(host: String) -> Branding {
        var branding = Branding()
        branding.name = text(.accountPagesName) ?? host
        if let color = text(.accountPagesAccent) {
            branding.accent = AccentColor(color)
            if branding.accent == nil { refuse(.accountPagesAccent, "expected a color such as #1a56db") }
        }
        return branding
    }

    /// nil without pages, or without settings that name files.
    mutating func brandingFiles(_ pages: inout PageSettings?) -> BrandingFiles? {
        guard var branding = pages?.branding else { return nil }
        var files = BrandingFiles(texts: text(.accountPagesTexts), symbol: text(.accountPagesSymbol))
        guard !files.all.isEmpty else { return nil }
        for file in files.read() where file == .symbol || files.isFolderThere {
            do throws(BrandingProblem) {
                try files.apply(file, to: &branding)
            } catch {
                refuse(file == .symbol ? .accountPagesSymbol : .accountPagesTexts, "\(file.name) \(error)")
            }
        }
        if files.texts != nil, !files.haveTexts {
            refuse(.accountPagesTexts, "names a folder without a file such as en.json")
        }
        pages?.branding = branding
        return files
    }
}

extension LinkPageBrand {
    init(_ pages: PageSettings) {
        self.init(
            name: pages.branding.name, style: pages.branding.accent?.styleSheet ?? "",
            symbol: pages.branding.symbol.map { _ in Symbol(origin: pages.origin, path: PageSettings.symbolPath) })
    }
}

extension ServerSettings {
    /// Lets this machine into the console without a password, for `gatehouse dev`.
    ///
    /// - Parameters:
    ///   - secretKey: The console's API key.
    ///   - randomBytes: Cryptographically secure.
    /// - Returns: The path and query of a single-use link.
    package mutating func openConsole(
        _ secretKey: Secret, randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) -> String {
        let entry = ConsoleEntry(secretKey: secretKey, randomBytes: randomBytes)
        console?.entry = entry
        return entry.firstPath
    }
}
