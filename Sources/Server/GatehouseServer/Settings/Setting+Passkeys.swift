import AuthServer
import Foundation
import GatehouseWire
import WebAuthn

/// Also the identity shared with WebAuthn factors.
extension Setting {
    package static let relyingPartyID = Setting(
        "webauthn_rp_id", .gotrue, .text(),
        "Domain of passkeys and security keys, without scheme and port: `example.org`. Includes its "
            + "subdomains. A change makes existing ones useless.")
    package static let relyingPartyName = Setting(
        "webauthn_rp_display_name", .gotrue, .text(),
        "Name that authenticators show. Default: `account_pages_name`, `smtp_sender_name` or the domain.")
    package static let relyingPartyOrigins = Setting(
        "webauthn_rp_origins", .gotrue, .text(),
        "Comma-separated origins that may use them: `https://app.example.org`, `android:apk-key-hash:…`, "
            + "`ios:bundle-id:…`. Includes `apple_app_ids` and `android_apps`.")
    package static let relatedOrigins = Setting(
        "webauthn_related_origins", .none, .text(),
        "Comma-separated web origins on other domains that may use them. Browsers accept at most five "
            + "registrable domains.")
    package static let challengeDuration = Setting(
        "webauthn_challenge_expiry_duration", .gotrue, .duration("5m"),
        "Lifetime of a passkey challenge, up to `1h`.")
    package static let appleAppIDs = Setting(
        "apple_app_ids", .none, .text(),
        "Comma-separated Apple apps, with team ID, that share the domain's passwords and passkeys: "
            + "`A1B2C3D4E5.org.example.app`.")
    package static let androidApps = Setting(
        "android_apps", .none, .text(),
        "Comma-separated Android apps that share the domain's passkeys, with the certificate's SHA-256 "
            + "from `keytool`: `org.example.app=AB:CD:…`. One entry per certificate.")
    package static let passkeysEnabled = Setting(
        "passkey_enabled", .gotrue, .flag(false),
        "Enables sign-in with [passkeys](passkeys.md).")
    package static let passkeyMaximum = Setting(
        "passkey_max_passkeys_per_user", .gotrue, .number(1...1_000, 10),
        "Maximum passkeys per account, 1 to 1000.")
    package static let passkeySignUp = Setting(
        "passkey_signup_enabled", .none, .flag(false),
        "Enables sign-up with a passkey. An emailed code confirms the email before it is added.")
    package static let passkeyIsTwoFactors = Setting(
        "passkey_counts_as_two_factors", .none, .flag(false),
        "Gives passkey sign-ins `aal2` if the device verified the user by fingerprint, face or PIN (NIST SP "
            + "800-63B-4).")
    package static let ratePasskey = Setting(
        "rate_limit_passkey", .gotrue, .number(0...1_000_000_000, 30),
        "Passkey sign-ins started per client address in 5 minutes.")

    static let passkeys: [Setting] = [
        passkeysEnabled, passkeyMaximum, passkeySignUp, passkeyIsTwoFactors, relyingPartyID, relyingPartyName,
        relyingPartyOrigins, relatedOrigins, challengeDuration, appleAppIDs, androidApps,
    ]
}

extension SettingsReader {
    mutating func passkeyRules() -> PasskeyRules? {
        let isOn = flag(.passkeysEnabled)
        var rules = PasskeyRules()
        rules.maximum = number(.passkeyMaximum)
        rules.challengeLifetime = duration(.challengeDuration) ?? .seconds(300)
        if rules.challengeLifetime > .seconds(3_600) { refuse(.challengeDuration, "expected at most 1h") }
        rules.allowsSignUp = flag(.passkeySignUp)
        rules.countsAsTwoFactors = flag(.passkeyIsTwoFactors)
        return isOn ? rules : nil
    }

    /// - Parameter needed: The enabled setting that requires it.
    /// - Returns: nil for none or an unusable one.
    mutating func relyingParty(neededBy needed: Setting?) -> AppIdentity? {
        let apps = AppIdentifiers(apple: appleAppIDs(), android: androidApps())
        guard let id = text(.relyingPartyID) else {
            if let needed {
                refuse(needed, "needs \(Setting.relyingPartyID.environmentName), the domain that passkeys belong to")
            }
            for setting in [Setting.relyingPartyOrigins, .relatedOrigins, .appleAppIDs, .androidApps]
            where !list(setting).isEmpty {
                refuse(setting, "needs \(Setting.relyingPartyID.environmentName)")
            }
            return nil
        }
        let related = list(.relatedOrigins)
        // Apple's apps send the domain itself as origin.
        let ofApps = (apps.apple.isEmpty ? [] : ["https://\(id)"]) + apps.android.map(\.origin)
        do throws(RelyingPartyProblem) {
            // Origins of other domains have a separate setting.
            let name = text(.relyingPartyName) ?? appName ?? id
            let origins = list(.relyingPartyOrigins) + ofApps
            let party = try RelyingParty(id: id, name: name, origins: origins, allowsFrames: true)
            guard !related.isEmpty else { return AppIdentity(party: party, apps: apps) }
            for origin in related where CeremonyOrigin(origin)?.host == nil {
                refuse(.relatedOrigins, "expected web origins such as https://example.com, without a path")
            }
            let all = try RelyingParty(
                id: id, name: name, origins: origins + related, allowsFrames: true, allowsRelatedOrigins: true)
            return AppIdentity(party: all, apps: apps)
        } catch {
            refuse(error, id)
            return nil
        }
    }

    private mutating func refuse(_ problem: RelyingPartyProblem, _ id: String) {
        switch problem {
        case .invalidID:
            refuse(
                .relyingPartyID,
                "expected a domain such as example.org, without scheme and port; an IP address cannot have passkeys")
        case .noOrigin:
            refuse(
                .relyingPartyOrigins,
                "is missing: expected the origins of your pages, such as https://app.example.org, or apps in "
                    + "\(Setting.appleAppIDs.environmentName)")
        case .invalidOrigin(let text):
            refuse(
                list(.relatedOrigins).contains(text) ? .relatedOrigins : .relyingPartyOrigins,
                "\(text) is not an origin: expected https://app.example.org, without a path and a slash at its end; "
                    + "http:// is for localhost alone")
        case .foreignOrigin(let text):
            refuse(
                .relyingPartyOrigins,
                "\(text) is not in the domain \(id), so browsers refuse it: correct one of the two, or move it to "
                    + "\(Setting.relatedOrigins.environmentName)")
        }
    }

    private mutating func appleAppIDs() -> [String] {
        let ids = list(.appleAppIDs)
        if ids.contains(where: { !AppIdentifiers.isApple($0) }) {
            refuse(.appleAppIDs, "expected team and bundle such as A1B2C3D4E5.org.example.app")
        }
        return ids
    }

    private mutating func androidApps() -> [AppIdentifiers.Android] {
        list(.androidApps).compactMap { text in
            let app = AppIdentifiers.Android(text)
            if app == nil { refuse(.androidApps, "expected package and SHA-256 such as org.example.app=AB:CD:…") }
            return app
        }
    }
}
