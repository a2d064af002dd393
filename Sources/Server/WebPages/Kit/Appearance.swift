import Synchronization

/// The texts and the look of pages, which an operator's files change while the server runs.
final class Appearance: Sendable {
    private struct Shown {
        let texts: PageTexts
        let look: PageLook
    }

    private let site: Site
    private let shown: Mutex<Shown>

    /// - Throws: The error of a template that cannot be parsed. Those of this package can.
    init(_ branding: Branding, _ site: Site) throws {
        self.site = site
        shown = Mutex(try Self.made(branding, site))
    }

    var texts: PageTexts { shown.withLock(\.texts) }
    var look: PageLook { shown.withLock(\.look) }

    /// Shows pages so from now on.
    ///
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

    /// Shows the name, the symbol and the texts of an operator from now on. Pages that had no symbol at start get none.
    ///
    /// - Throws: The error of a template that cannot be parsed. Those of this package can.
    package func show(_ branding: Branding) throws { try appearance.show(branding) }
}
