import GatehouseWire
package import HTTPServing

/// In the navigation's order.
enum ConsolePlace: String, CaseIterable, Sendable {
    case overview = ""
    case users = "/users"
    case clients = "/clients"
    case audit = "/audit"
    case mails = "/mails"
    case webhooks = "/webhooks"
    case keys = "/keys"
    case configuration = "/configuration"
    case requests = "/requests"

    var path: String { Site.console.prefix + rawValue }

    var title: String {
        switch self {
        case .overview: "Overview"
        case .users: "Users"
        case .clients: "OAuth Clients"
        case .audit: "Audit Log"
        case .mails: "Emails"
        case .webhooks: "Webhooks"
        case .keys: "Keys"
        case .configuration: "Configuration"
        case .requests: "Requests"
        }
    }

    static let signIn = Site.console.prefix + "/sign-in"
    static let secondStep = Site.console.prefix + "/second-step"
    static let signOut = Site.console.prefix + "/sign-out"
}

extension WebPages {
    package static let signInBucket = "console_sign_in"

    /// By client address.
    package static let limits = [RateLimit(signInBucket, 30, per: .seconds(300), burst: 30)]

    var consolePages: [PageRoute] {
        let pages: [any ConsolePage.Type] = [
            ConsoleSignInPage.self, ConsoleSecondStepPage.self, OverviewPage.self, UserListPage.self, UserPage.self,
            UserActPage.self, NewUserPage.self, ClientListPage.self, ClientPage.self, ClientActPage.self,
            AuditPage.self, OutboxPage.self, WebhooksPage.self, KeysPage.self, ConfigurationPage.self,
            RequestsPage.self,
        ]
        return pages.flatMap { $0.routes } + (settings.entry == nil ? [] : ConsoleEntryPage.routes)
    }
}
