import GatehouseWire

enum ReferenceApp: String, CaseIterable, Sendable {
    case boxScore = "BoxScore"
    case dailyRitual = "DailyRitual"

    /// Below ``LiveApp/path``.
    var path: String {
        switch self {
        case .boxScore: ""
        case .dailyRitual: "/daily-ritual"
        }
    }
}
