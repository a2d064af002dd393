import GatehouseWire

/// An app that a simulated phone runs.
enum ReferenceApp: String, CaseIterable, Sendable {
    case boxScore = "BoxScore"
    case dailyRitual = "DailyRitual"

    /// The path of the app's page below ``LiveApp/path``.
    var path: String {
        switch self {
        case .boxScore: ""
        case .dailyRitual: "/daily-ritual"
        }
    }
}
