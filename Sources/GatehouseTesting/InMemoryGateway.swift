import Foundation
import Gatehouse

/// The gateway's rules for profiles.
enum InMemoryGateway {
    /// Changes the given members.
    ///
    /// - Throws: `GatewayError.refused` with status 400.
    static func change(
        _ profile: inout ProfileSummary, firstName: FieldChange, favoriteTeams: [String]?
    ) throws(GatewayError) {
        guard firstName != .keep || favoriteTeams != nil else { throw badRequest("There is nothing to change.") }
        var changed = profile
        switch firstName {
        case .keep: break
        case .clear: changed.firstName = nil
        case .set(let text):
            let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard name.unicodeScalars.count <= 50 else {
                throw badRequest("first_name must have at most 50 characters.")
            }
            changed.firstName = name.isEmpty ? nil : name
        }
        if let favoriteTeams {
            guard favoriteTeams.count <= 30, favoriteTeams.allSatisfy(isTeam) else {
                throw badRequest("favorite_teams must be at most 30 strings such as nba_1610612744.")
            }
            changed.favoriteTeams = favoriteTeams.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
        profile = changed
    }

    private static func badRequest(_ message: String) -> GatewayError {
        .refused(GatewayRefusal(status: 400, code: "BAD_REQUEST", message: message))
    }

    /// Whether the text is a `league_identifier`: lower-case letters and digits, then letters, digits and `-`.
    private static func isTeam(_ text: String) -> Bool {
        let parts = text.split(separator: "_", maxSplits: 1)
        guard text.utf8.count <= 50, parts.count == 2, let first = parts[0].first, first.isLowercase else {
            return false
        }
        return text.utf8.allSatisfy { $0 < 0x80 } && parts[0].allSatisfy { $0.isLowercase || $0.isNumber }
            && parts[1].allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
    }
}
