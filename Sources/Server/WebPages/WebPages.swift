package import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

package struct PageSettings: Sendable {
    /// Without a trailing slash: `https://api.example.org`.
    package let origin: String
    /// As browsers reach it: `https://api.example.org/auth/v1`.
    package let authURL: String
    /// For an API that requires keys.
    package var apiKey: Secret?
    /// The gateway keeps profiles and deletes accounts.
    package var hasGateway = true
    package var branding = Branding()
    /// nil if no captcha is needed.
    package var captcha: CaptchaWidget?
    /// nil if unknown: the API is another server's.
    package var allowsRedirect: (@Sendable (String) -> Bool)?
    /// In the console; nil without a template.
    package var traceLink: TraceLink?
    /// For `gatehouse dev` only.
    package var entry: ConsoleEntry?

    package init(origin: String, authURL: String) { (self.origin, self.authURL) = (origin, authURL) }

    /// For providers and emailed links.
    package var callback: String { origin + Place.callback.path }
    package static var symbolPath: String { "\(Site.account.prefix)/assets/symbol" }
    /// For an administrator's mail with a code for a new password.
    package var recovery: String { origin + Place.recover.path }
    package var invitation: String { origin + Place.invitation.path }
    package var signIn: String { origin + Place.signIn.path }
    package var connectedApps: String { origin + Place.apps.path }
    package var deviceReport: String { origin + Place.deviceReport.path }
    /// Asks whether an OAuth client may act for the user.
    package var consent: String { origin + Place.consent.path }
    /// Takes the code that a device shows.
    package var device: String { origin + Place.device.path }
    package var passkeys: String { origin + Place.passkeys.path }
}

/// For an app's users, or its operators.
package enum Site: String, Sendable {
    case account, console

    package var prefix: String { "/" + rawValue }
}

/// Pages at `/account` or `/console`. A client of the APIs without a database.
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

    /// - Throws: A template's error, but not for this package's.
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

    /// A form's URL alone leads to the page above: its answer links to itself.
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
            SignInPage.self, PasskeySignInPage.self, PhoneSignInPage.self, SecondStepPage.self, MailRequestPage.self,
            SignUpPage.self, PasskeySignUpPage.self, CheckMailPage.self, CheckMessagesPage.self, RecoveryPage.self,
            DeviceReportPage.self,
            InvitationPage.self, ProviderPage.self, LinkQuestionPage.self, ConsentPage.self,
        ]
        // Requires a complete sign-in.
        let own: [any SitePage.Type] = [
            HomePage.self, HandoverPage.self, NewPasswordPage.self, SecurityPage.self, PasskeysPage.self,
            PasskeyPage.self, FactorsPage.self, PhoneFactorsPage.self, RecoveryCodesPage.self, ChangeEmailPage.self,
            ChangePhonePage.self, DevicesPage.self, MethodsPage.self, ProfilePage.self, DataPage.self,
            DeletionPage.self, DeviceCodePage.self, ConnectedAppsPage.self,
        ]
        return open.flatMap { $0.routes }
            + own.flatMap { $0.routes }.map { page in
                PageRoute(path: page.path, isForm: page.isForm, handler: afterSecondStep(page.handler))
            }
    }

    private func afterSecondStep(_ handler: @escaping Handler) -> Handler {
        { visit in
            guard visit.session.awaitsSecondStep, visit.isSignedIn else { return try await handler(&visit) }
            return visit.goToSecondStep(nil)
        }
    }

    /// Leads an emailed link back to these pages.
    var backHere: String { "redirect_to=\(FormText.escape(settings.callback))" }
}
