protocol SitePage: Sendable {
    static var routes: [PageRoute] { get }
    var visit: Visit { get set }

    init(visit: Visit)
}

extension SitePage {
    var pages: WebPages { visit.pages }

    /// As ``Visit/say(_:_:)``.
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
    /// `visit[SignInPage.self].page()`. Its changes apply to this visit, even if it throws.
    subscript<Page: SitePage>(_: Page.Type) -> Page {
        get { Page(visit: self) }
        set { self = newValue.visit }
    }
}

struct PageRoute: Sendable {
    let path: String
    var isForm = false
    var limitedBy: String?
    /// The form must not be processed twice, however often it is sent.
    var isOnce = false
    var isLogged = true
    let handler: Handler
}
