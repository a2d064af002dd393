import Foundation
// The only use of Foundation in this target: its list of time zones.
import GatehouseWire

enum TimeZoneName {
    private static let known = Set(TimeZone.knownTimeZoneIdentifiers)

    /// Whether this is a name of the IANA database, older spellings of today's zones included (`US/Pacific`).
    /// Abbreviations (`PST`) and offsets (`GMT+5`), which Foundation takes too, are not names.
    static func isKnown(_ name: String) -> Bool {
        known.contains(name) || name == "UTC" || (name.contains(ascii: "/") && TimeZone(identifier: name) != nil)
    }
}
