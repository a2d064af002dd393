import Synchronization

/// An operator's files change texts and look while the server runs.
final class Appearance: Sendable {
    private struct Shown {
        let texts: PageTexts
        let look: PageLook
    }

    private let site: Site
    private let shown: Mutex<Shown>

    /// - Throws: A template's error, but not for this package's.
    init(_ branding: Branding, _ site: Site) throws {
        self.site = site
        shown = Mutex(try Self.made(branding, site))
    }

    var texts: PageTexts { shown.withLock(\.texts) }
    var look: PageLook { shown.withLock(\.look) }

    /// - Throws: As ``init(_:_:)``.
    func show(_ branding: Branding) throws {
        let made = try Self.made(branding, site)
        shown.withLock { $0 = made }
    }

    private static func made(_ branding: Branding, _ site: Site) throws -> Shown {
        Shown(texts: try PageTexts(overrides: branding.texts), look: try PageLook(branding, site))
    }
}

extension WebPages {
    var texts: PageTexts { appearance.texts }
    var look: PageLook { appearance.look }

    /// Pages without a symbol at the start get none.
    ///
    /// - Throws: A template error, but not for this package's.
    package func show(_ branding: Branding) throws { try appearance.show(branding) }
}
