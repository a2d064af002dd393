package import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

package struct PageSettings: Sendable {
    /// The origin that browsers reach the pages at, without a trailing slash: `https://api.example.org`.
    package let origin: String
    /// The Auth API as browsers reach it: `https://api.example.org/auth/v1`.
    package let authURL: String
    /// For an API that requires keys.
    package var apiKey: Secret?
    /// Whether there is a gateway, which keeps profiles and deletes accounts.
    package var hasGateway = true
    package var branding = Branding()
    /// nil if the Auth API asks for no captcha.
    package var captcha: CaptchaWidget?
    /// Whether the Auth API would redirect to this address. nil if that is unknown: the API is another server's.
    package var allowsRedirect: (@Sendable (String) -> Bool)?
    /// Set for the console of `gatehouse dev` only.
    package var entry: ConsoleEntry?

    package init(origin: String, authURL: String) { (self.origin, self.authURL) = (origin, authURL) }

    /// Where sign-ins through providers and emailed links come back to.
    package var callback: String { origin + Place.callback.path }
    /// The symbol of the account pages, if they have one.
    package static var symbolPath: String { "\(Site.account.prefix)/assets/symbol" }
    /// Where a mail of an administrator leads that has a code to set a new password with.
    package var recovery: String { origin + Place.recover.path }
    /// Where an app's users sign in.
    package var signIn: String { origin + Place.signIn.path }
    /// Where an app's users look after their sign-in methods.
    package var methods: String { origin + Place.methods.path }
}

/// Which pages: those for an app's users, or those for its operators.
package enum Site: String, Sendable {
    case account, console

    package var prefix: String { "/" + rawValue }
}

/// The pages at `/account` for an app's users, or those at `/console` for its operators. A client of the APIs: it
/// reaches no database.
package struct WebPages: Sendable {
    let site: Site
    let settings: PageSettings
    let transport: PageTransport
    let cookie: SessionCookie
    let appearance: Appearance
    let clientAddress: ClientAddressRule
    let now: @Sendable () -> Instant
    let randomBytes: @Sendable (Int) -> [UInt8]
    let flights = RefreshFlights()
    let forms = FormFlights()

    /// - Throws: The error of a template that cannot be parsed. Those of this package can.
    package init(
        _ site: Site = .account, _ settings: PageSettings, seal: PageSeal, clientAddress: ClientAddressRule,
        now: @escaping @Sendable () -> Instant, randomBytes: @escaping @Sendable (Int) -> [UInt8],
        transport: @escaping PageTransport
    ) throws {
        (self.site, self.settings) = (site, settings)
        self.transport = transport
        cookie = SessionCookie(seal: seal, isSecure: settings.origin.hasPrefix("https://"), site: site)
        appearance = try Appearance(settings.branding, site)
        self.clientAddress = clientAddress
        (self.now, self.randomBytes) = (now, randomBytes)
    }

    package func table(_ runtime: ServerRuntime) -> RouteTable {
        let format = RefusalFormat.page { refusal, request in
            self.refusalPage(refusal, language: .preferred(request[.acceptLanguage]))
        }
        let group = RouteGroup(prefixes: [site.prefix], format: format, crossOrigin: nil, cacheControl: "no-store")
        let wait = runtime.requestTimeLimit
        let routes = pages.map { page in
            let route = Route(
                page.isForm ? .post : .get, page.path, acceptsTrailingSlash: page.path.isEmpty,
                limitedBy: page.limitedBy, timeLimit: wait, answersHead: page.isForm
            ) { try await answer($0, $1, page) }
            return page.isLogged ? route : route.unlogged
        }
        return RouteTable(group: group, runtime: runtime, routes + assetRoutes)
    }

    /// The pages. The address of a form alone leads to the page above it: the answer to a form has links to itself.
    private var pages: [PageRoute] {
        let pages = site == .console ? consolePages : accountPages
        let forms = pages.filter { form in form.isForm && !pages.contains { !$0.isForm && $0.path == form.path } }
        return pages
            + forms.map { form in
                let above = form.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? form.path.startIndex
                return PageRoute(path: form.path) { _ in .move(site.prefix + form.path[..<above]) }
            }
    }

    private var accountPages: [PageRoute] {
        let open: [any SitePage.Type] = [
            SignInPage.self, PasskeySignInPage.self, SecondStepPage.self, MailRequestPage.self, SignUpPage.self,
            PasskeySignUpPage.self, CheckMailPage.self, RecoveryPage.self, ProviderPage.self, LinkQuestionPage.self,
        ]
        // For users whose sign-in is complete.
        let own: [any SitePage.Type] = [
            HomePage.self, HandoverPage.self, NewPasswordPage.self, SecurityPage.self, PasskeysPage.self,
            PasskeyPage.self, FactorsPage.self, RecoveryCodesPage.self, ChangeEmailPage.self, DevicesPage.self,
            MethodsPage.self, ProfilePage.self, DataPage.self, DeletionPage.self,
        ]
        return open.flatMap { $0.routes }
            + own.flatMap { $0.routes }.map { page in
                PageRoute(path: page.path, isForm: page.isForm, handler: afterSecondStep(page.handler))
            }
    }

    /// A page of the account, which opens once the sign-in is complete.
    private func afterSecondStep(_ handler: @escaping Handler) -> Handler {
        { visit in
            guard visit.session.awaitsSecondStep, visit.isSignedIn else { return try await handler(&visit) }
            return visit.goToSecondStep(nil)
        }
    }

    /// The query that leads an emailed link back to these pages.
    var backHere: String { "redirect_to=\(FormText.escape(settings.callback))" }
}
