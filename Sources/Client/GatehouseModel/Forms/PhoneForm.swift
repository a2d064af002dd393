public import Foundation
import GatehouseWire

/// Validates a typed telephone number and its region.
///
/// ```swift
/// var form = PhoneForm(region: "DE")
/// form.typed = "0170 123 45 67"
/// let number = form.number        // +491701234567
/// ```
public struct PhoneForm: Hashable, Sendable {
    /// In ISO 3166-1 alpha-2, such as `DE`. Typing another region's `+` and code changes it.
    public var region: String
    /// The number as typed, national or with `+`.
    public var typed = "" { didSet { if typed.utf8.count <= 64 { followCode() } else { typed = oldValue } } }

    /// Creates an empty form.
    ///
    /// - Parameter region: nil or an unknown one becomes that of the device's settings.
    public init(region: String? = nil) {
        self.region = region.flatMap { CallingCode.of(region: $0)?.region } ?? Self.region(of: .current)
    }

    /// A locale's region, or the one where most people speak its language.
    public static func region(of locale: Locale) -> String {
        let likely = Locale(identifier: locale.language.maximalIdentifier).region
        let known = [locale.region, likely].lazy.compactMap { $0?.identifier }
        return known.first { CallingCode.of(region: $0) != nil } ?? "US"
    }

    /// In E.164 format with `+`; nil while invalid.
    public var number: String? { CallingCode.number(typed: typed, region: region) }

    /// The region's calling code, with `+`.
    public var prefix: String { CallingCode.of(region: region).map { "+" + $0.code } ?? "" }

    /// The hint below the field, if invalid.
    public var hint: ModelText? { typed.isEmpty || number != nil ? nil : "Please enter a valid phone number." }

    /// A shared code keeps the chosen region.
    private mutating func followCode() {
        guard let number = CallingCode.number(typed: typed, region: nil) else { return }
        let codes = CallingCode.beginning(number)
        if let main = codes.first, !codes.contains(where: { $0.region == region }) { region = main.region }
    }
}
