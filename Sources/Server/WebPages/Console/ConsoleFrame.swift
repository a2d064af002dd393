import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension Visit {
    var isInConsole: Bool { session.tokens != nil && !session.awaitsSecondStep || session.key != nil }

    var consoleRetryPath: String { request.method == .get ? request.uri.path.cut(to: 256) : Site.console.prefix }

    /// Returns to this page after the sign-in.
    mutating func goToConsoleSignIn(_ flash: Flash?) -> Outcome {
        let path = request.uri.path
        session.nextPath = path.utf8.count <= 256 && request.method == .get ? path : nil
        session.flash = flash
        return .move(ConsolePlace.signIn)
    }

    func consoleFrame(_ token: String) -> TemplateValues {
        guard isInConsole else { return ["isOutside": true] }
        let path = request.uri.path
        let built = pages.consolePages
        let places: [TemplateValues] = ConsolePlace.allCases.filter { place in
            built.contains { $0.path == place.rawValue }
        }.map { place in
            let isHere = place == .overview ? path == place.path : path.hasPrefix(place.path)
            return ["placeTitle": place.title, "placeAddress": place.path, "isHere": isHere]
        }
        // For `gatehouse dev`, whose other pages are one click away.
        let others: [TemplateValues] =
            pages.settings.entry == nil
            ? [] : [["placeTitle": "Development", "placeAddress": "/dev", "isHere": false]]
        var frame: TemplateValues = [
            "places": places + others, "signOutPath": ConsolePlace.signOut, "signOutToken": Markup(token),
            "operatorRole": operatorRights.title,
        ]
        frame["operatorName"] = operatorName.map { Markup($0.readableAddress) }
        return ["frame": frame]
    }
}
