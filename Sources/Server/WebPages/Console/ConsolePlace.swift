import GatehouseWire
package import HTTPServing

/// The pages of the console that its navigation names, in its order.
enum ConsolePlace: String, CaseIterable, Sendable {
    case overview = ""
    case users = "/users"
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
        case .mails: "Mails"
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
    /// The bucket of the limit on sign-ins to the console.
    package static let signInBucket = "console_sign_in"

    /// The limit on sign-ins to the console, by client address.
    package static let limits = [RateLimit(signInBucket, 30, per: .seconds(300), burst: 30)]

    var consolePages: [PageRoute] {
        var pages = [
            shows("/sign-in", showConsoleSignIn), takes("/sign-in", limitedBy: Self.signInBucket, signInToConsole),
            shows("/second-step", showConsoleSecondStep),
            takes("/second-step", limitedBy: Self.signInBucket, takeConsoleSecondStep),
            takes("/sign-out", signOutOfConsole), shows("", showOverview),
            shows("/users", showUsers), shows("/users/{user_id}", showUser),
            shows("/users/{user_id}/{act}", askAboutUser), takes("/users/{user_id}/{act}", actOnUser),
            shows("/mails", showMails), takes("/mails/retry", retryMail), shows("/mails/drop", askToDropMail),
            takes("/mails/drop", dropMail), shows("/webhooks", showWebhooks), takes("/webhooks/replay", replayDelivery),
            shows("/keys", showKeys), shows("/keys/rotate", askToRotateKeys), takes("/keys/rotate", rotateKeys),
            shows("/configuration", showConfiguration), shows("/requests", showRequests),
            PageRoute(path: "/requests/new", isLogged: false, handler: listNewRequests),
        ]
        if settings.entry != nil { pages.append(shows("/enter", enterConsole)) }
        return pages
    }
}
