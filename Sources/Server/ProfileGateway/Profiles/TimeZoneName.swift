import Foundation
// Foundation is used only for its list of time zones.
import GatehouseWire

enum TimeZoneName {
    private static let known = Set(TimeZone.knownTimeZoneIdentifiers)

    /// Whether this is a name in the IANA database, including aliases such as `US/Pacific`. Excludes abbreviations
    /// (`PST`) and offsets (`GMT+5`), which Foundation also accepts.
    static func isKnown(_ name: String) -> Bool {
        known.contains(name) || name == "UTC" || (name.contains(ascii: "/") && TimeZone(identifier: name) != nil)
    }
}
