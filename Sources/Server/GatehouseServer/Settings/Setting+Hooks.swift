import AuthServer
import GatehouseWire

/// With Supabase's names.
struct HookSettings: Sendable {
    let name: HookName
    let enabled, uri, secrets: Setting
    /// nil for the hooks that send mails and messages: they wait.
    let onFailure: Setting?

    static let all = HookName.allCases.map(HookSettings.init)

    private init(_ name: HookName) {
        self.name = name
        let key = "hook_\(name.rawValue)"
        enabled = Setting(key + "_enabled", .gotrue, .flag(false), name.purpose)
        uri = Setting(
            key + "_uri", .gotrue, .text(), "URL of the hook: `https://…`.", documentedKey: "hook_<name>_uri")
        secrets = Setting(
            key + "_secrets", .gotrue, .secret,
            "Secrets that sign the calls: `v1,whsec_BASE64`, separated by vertical bars.",
            documentedKey: "hook_<name>_secrets")
        onFailure =
            name == .sendEmail || name == .sendSMS
            ? nil
            : Setting(
                key + "_on_failure", .none, .text("refuse"),
                "Effect of a failing hook on the request: `refuse` or `continue`.",
                documentedKey: "hook_<name>_on_failure")
    }

    var settings: [Setting] { [enabled, uri, secrets] + [onFailure].compactMap(\.self) }
}

extension HookName {
    fileprivate var purpose: String {
        switch self {
        case .customAccessToken: "Calls a hook that can change the claims of access tokens."
        case .beforeUserCreated: "Calls a hook that accepts or rejects new accounts."
        case .passwordVerificationAttempt: "Calls a hook after each password check; it can reject the sign-in."
        case .mfaVerificationAttempt: "Calls a hook after each second-factor check; it can reject the sign-in."
        case .sendEmail: "Sends emails through a hook instead of a mail server."
        case .sendSMS: "Sends text messages through a hook instead of `sms_provider`."
        }
    }
}

extension Setting {
    package static let webhooks = Setting(
        "webhooks", .none, .secret,
        "JSON array of [endpoints that receive events](hooks.md#webhooks).")
    package static let hookNetworks = Setting(
        "hook_networks", .none, .text(),
        "Comma-separated private networks (`10.1.0.0/16`) where hooks and webhooks are allowed.")
    package static let hookLoopback = Setting(
        "hook_loopback", .none, .flag(false),
        "Allows hooks and webhooks on this machine, even over http.")

    package static let hooks: [Setting] = HookSettings.all.flatMap(\.settings) + [webhooks, hookNetworks, hookLoopback]
}
