import Foundation
import GatehouseWire

extension MailLanguage {
    private var locale: Locale {
        switch self {
        // Hours up to 24.
        case .english: Locale(identifier: "en_GB")
        // Digits as in the code.
        case .arabic: Locale(identifier: "ar@numbers=latn")
        default: Locale(identifier: rawValue)
        }
    }

    /// `1 hour`, `2 Tage`: in days, hours and minutes, rounded up to a minute.
    func words(for duration: Duration) -> String {
        let minutes = max(1, (duration.components.seconds + 59) / 60)
        // `24 hours` is clearer than `1 day`.
        let units: Set<Duration.UnitsFormatStyle.Unit> =
            minutes >= 2 * 24 * 60 ? [.days, .hours, .minutes] : [.hours, .minutes]
        return Duration.seconds(minutes * 60).formatted(
            .units(allowed: units, width: .wide, maximumUnitCount: 2).locale(locale))
    }

    /// In UTC.
    func words(for instant: Instant) -> String {
        let style = Date.FormatStyle(date: .long, time: .shortened, locale: locale, timeZone: .gmt)
        // A no-break space keeps the zone next to the time.
        return Date(timeIntervalSince1970: Double(instant.seconds)).formatted(style) + "\u{A0}UTC"
    }
}
