import GatehouseWire

/// A setting as operators may see it. Has no secret.
package struct ShownSetting: Sendable {
    package enum Origin: String, Sendable {
        case environment, file
        /// No value was given; there may be a default.
        case standard = "default"
    }

    /// Stands for a secret that is set.
    package static let mask = "••••"

    package let setting: Setting
    /// The title of its area.
    package let area: String
    /// nil for a setting with neither a value nor a default; ``mask`` for a secret.
    package let value: String?
    package let origin: Origin

    /// Every setting, by area.
    package static func all(_ given: GivenSettings) -> [ShownSetting] {
        Setting.areas.flatMap { area in
            area.settings.map { setting in
                let shown = given.shown(setting)
                return ShownSetting(
                    setting: setting, area: area.title,
                    value: shown.map { setting.isSecret ? mask : $0 } ?? setting.defaultText,
                    origin: given[setting].map { $0.isFromFile ? .file : .environment } ?? .standard)
            }
        }
    }
}
