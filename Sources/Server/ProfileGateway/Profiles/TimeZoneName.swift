import Foundation
// Only for its list of time zones.
import GatehouseWire

enum TimeZoneName {
    private static let known = Set(TimeZone.knownTimeZoneIdentifiers)

    /// Accepts IANA names and aliases such as `US/Pacific`, but no abbreviations (`PST`) or offsets (`GMT+5`), which
    /// Foundation accepts.
    static func isKnown(_ name: String) -> Bool {
        known.contains(name) || name == "UTC" || (name.contains(ascii: "/") && TimeZone(identifier: name) != nil)
    }
}
