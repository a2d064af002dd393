import GatehouseWire

/// Has no secret.
package struct ShownSetting: Sendable {
    package enum Origin: String, Sendable {
        case environment, file
        /// Not set; there may be a default.
        case standard = "default"
    }

    /// Replaces a secret that is set.
    package static let mask = "••••"

    package let setting: Setting
    package let area: String
    /// nil without a value or default; ``mask`` for a secret.
    package let value: String?
    package let origin: Origin

    /// By area.
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
