/// A page with its forms, over the visit that it serves.
protocol SitePage: Sendable {
    static var routes: [PageRoute] { get }
    var visit: Visit { get set }

    init(visit: Visit)
}

extension SitePage {
    var pages: WebPages { visit.pages }

    /// A text of the catalogue, as ``Visit/say(_:_:)``.
    func say(_ text: StaticString, _ arguments: String...) -> String {
        pages.texts.text(text, arguments, in: visit.language)
    }

    static func shows(
        _ path: String, isLogged: Bool = true, _ handler: @escaping @Sendable (inout Self) async throws -> Outcome
    ) -> PageRoute {
        PageRoute(path: path, isLogged: isLogged, handler: over(handler))
    }

    static func takes(
        _ path: String, limitedBy: String? = nil, isOnce: Bool = false,
        _ handler: @escaping @Sendable (inout Self) async throws -> Outcome
    ) -> PageRoute {
        PageRoute(path: path, isForm: true, limitedBy: limitedBy, isOnce: isOnce, handler: over(handler))
    }

    private static func over(_ handler: @escaping @Sendable (inout Self) async throws -> Outcome) -> Handler {
        { visit in try await handler(&visit[Self.self]) }
    }
}

extension Visit {
    /// A page over this visit: `visit[SignInPage.self].page()`. What it changes is changed here, even if it throws.
    subscript<Page: SitePage>(_: Page.Type) -> Page {
        get { Page(visit: self) }
        set { self = newValue.visit }
    }
}

/// A path below the prefix, and what answers it.
struct PageRoute: Sendable {
    let path: String
    var isForm = false
    var limitedBy: String?
    /// Whether the form must not count twice, however often the browser sends it.
    var isOnce = false
    var isLogged = true
    let handler: Handler
}
