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

    /// Where sign-ins through providers and mailed links come back to.
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

    func shows(_ path: String, _ handler: @escaping Handler) -> PageRoute { PageRoute(path: path, handler: handler) }

    func takes(
        _ path: String, limitedBy: String? = nil, isOnce: Bool = false, _ handler: @escaping Handler
    ) -> PageRoute {
        PageRoute(path: path, isForm: true, limitedBy: limitedBy, isOnce: isOnce, handler: handler)
    }

    /// The pages. The address of a form alone leads to the page above it: the answer to a form has links to itself.
    private var pages: [PageRoute] {
        let pages = site == .console ? consolePages : accountPages
        let forms = pages.filter { form in form.isForm && !pages.contains { !$0.isForm && $0.path == form.path } }
        return pages
            + forms.map { form in
                let above = form.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? form.path.startIndex
                return shows(form.path) { _ in .move(site.prefix + form.path[..<above]) }
            }
    }

    private var accountPages: [PageRoute] {
        let open = [
            takes("/sign-out", endSession), shows("/sign-in", showSignIn), takes("/sign-in", signIn),
            shows("/sign-in/passkey", showPasskeySignIn), takes("/sign-in/passkey", signInWithPasskey),
            shows("/second-step", showSecondStep), takes("/second-step", takeSecondStep),
            shows("/sign-in/code", showCodeRequest), takes("/sign-in/code", mailCode),
            shows("/sign-up", showSignUp), takes("/sign-up", isOnce: true, signUp),
            shows("/check-mail", showCheckMail), takes("/check-mail", enterCode),
            takes("/check-mail/again", mailAgain), takes("/check-mail/other", enterOtherCode),
            shows("/forgot-password", showForgotPassword), takes("/forgot-password", mailRecovery),
            shows("/recover", showRecovery), takes("/recover", recover),
            shows("/provider/{provider}", goToProvider), takes("/provider/{provider}", confirmProvider),
            shows("/callback", comeBack),
            shows("/link", showQuestion), takes("/link", answerQuestion),
        ]
        return open
            + userPages.map { page in
                PageRoute(path: page.path, isForm: page.isForm, handler: afterSecondStep(page.handler))
            }
    }

    /// For users whose sign-in is complete.
    private var userPages: [PageRoute] {
        [
            shows("", home), shows("/continue", showHandover), takes("/continue", handOver),
            shows("/new-password", showNewPassword), takes("/new-password", setPassword),
            shows("/security", showSecurity), takes("/security", changePassword),
            shows("/passkeys", showPasskeys), takes("/passkeys", addPasskey),
            shows("/passkeys/passkey", showPasskey), takes("/passkeys/passkey", changePasskey),
            shows("/authenticator", showFactors(.apps)), takes("/authenticator", changeFactors(.apps)),
            shows("/security-keys", showFactors(.keys)), takes("/security-keys", changeFactors(.keys)),
            shows("/recovery-codes", showRecoveryCodes), takes("/recovery-codes", changeRecoveryCodes),
            shows("/email", showEmail), takes("/email", changeEmail),
            shows("/devices", showDevices), takes("/devices", endDevice),
            shows("/methods", showMethods), takes("/methods", changeMethods),
            shows("/profile", showProfile), takes("/profile", changeProfile),
            shows("/data", showData), takes("/data", download),
            shows("/delete", showDeletion), takes("/delete", deleteAccount),
        ]
    }
}
