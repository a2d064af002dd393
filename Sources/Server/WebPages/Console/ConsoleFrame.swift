import GatehouseWire
import HTTPServing
import Hummingbird

extension Visit {
    /// What surrounds a page of the console: its navigation, if an operator is signed in.
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
        return [
            "frame": ["places": places + others, "signOutPath": ConsolePlace.signOut, "signOutToken": Markup(token)]
        ]
    }
}
