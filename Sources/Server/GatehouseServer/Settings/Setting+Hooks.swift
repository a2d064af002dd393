import AuthServer
import GatehouseWire

/// The settings of one hook, with Supabase's names.
struct HookSettings: Sendable {
    let name: HookName
    let enabled, uri, secrets: Setting
    /// nil for the hook that sends mails: they wait.
    let onFailure: Setting?

    static let all = HookName.allCases.map(HookSettings.init)

    private init(_ name: HookName) {
        self.name = name
        let key = "hook_\(name.rawValue)"
        enabled = Setting(key + "_enabled", .gotrue, .flag(false), "Whether \(name.purpose), see [hooks.md](hooks.md).")
        uri = Setting(key + "_uri", .gotrue, .text(), "Its address: `https://…`.")
        secrets = Setting(
            key + "_secrets", .gotrue, .secret,
            "Secrets that sign the calls, `v1,whsec_BASE64`, with vertical bars between several.")
        onFailure =
            name == .sendEmail
            ? nil
            : Setting(
                key + "_on_failure", .none, .text("refuse"),
                "`refuse` or `continue`: what happens to a request when the hook cannot be asked.")
    }

    var settings: [Setting] { [enabled, uri, secrets] + [onFailure].compactMap(\.self) }
}

extension HookName {
    fileprivate var purpose: String {
        switch self {
        case .customAccessToken: "a hook may change the claims of access tokens"
        case .beforeUserCreated: "a hook decides about new accounts"
        case .passwordVerificationAttempt: "a hook hears of passwords that were checked, and may reject them"
        case .mfaVerificationAttempt: "a hook hears of answers of second factors, and may reject them"
        case .sendEmail: "a hook sends the mails instead of a mail server"
        }
    }
}

extension Setting {
    package static let webhooks = Setting(
        "webhooks", .none, .secret,
        "Endpoints that hear of events: a JSON array, see [hooks.md](hooks.md#webhooks).")
    package static let hookNetworks = Setting(
        "hook_networks", .none, .text(),
        "Comma-separated networks (`10.1.0.0/16`) that hooks and webhooks may be in although they are not public.")
    package static let hookLoopback = Setting(
        "hook_loopback", .none, .flag(false),
        "Whether hooks and webhooks may be on this machine, with http too.")

    /// The settings of hooks and webhooks.
    package static let hooks: [Setting] = HookSettings.all.flatMap(\.settings) + [webhooks, hookNetworks, hookLoopback]
}
