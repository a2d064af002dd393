import GatehouseServer
import TestSupport
import Testing

@Suite("Unused settings")
struct UnusedSettingsTests {
    @Test("Foreign names are reported, not refused")
    func foreign() throws {
        let given = GivenValues.given([
            "GOTRUE_SMTP_LOGGING_ENABLED": "true", "GOTRUE_DB_DRIVER": "x", "GOTRUE_JWT_EXP": "60",
        ])
        _ = try ServerSettings(given)
        #expect(UnusedSettings(given).names == ["GOTRUE_DB_DRIVER", "GOTRUE_SMTP_LOGGING_ENABLED"])
    }

    @Test(
        "A requested but missing feature is reported",
        arguments: [
            ("GOTRUE_EXTERNAL_SNAPCHAT_ENABLED", "true", "Sign-in by snapchat is not in this build."),
            (
                "GOTRUE_EXTERNAL_REDIRECTURL", "https://app.example.org",
                "One redirect target for all providers is not in this build: see site_url."
            ),
            ("GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED", "1", "Sign-in by web3_solana is not in this build."),
            ("GOTRUE_SAML_ENABLED", "true", "SAML is not in this build."),
            (
                "GOTRUE_HOOK_AFTER_USER_CREATED_ENABLED", "true",
                "The hook after_user_created is not in this build."
            ),
            (
                "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION", "true",
                "No mail is sent: a new password needs no mailed code."
            ),
            (
                "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", "true",
                "WebAuthn factors are off: GATEHOUSE_WEBAUTHN_RP_ID, their domain, is not set."
            ),
        ])
    func missing(name: String, value: String, sentence: String) {
        let changes = [name: value, "GOTRUE_MAILER_AUTOCONFIRM": "true"]
        #expect(UnusedSettings(GivenValues.given(changes)).missingFeatures == [sentence])
    }

    @Test("A disabled feature is not reported", arguments: ["GOTRUE_EXTERNAL_FLY_ENABLED", "GOTRUE_SAML_ENABLED"])
    func switchedOff(name: String) {
        let changes = [name: "false", "GOTRUE_MAILER_AUTOCONFIRM": "true"]
        #expect(UnusedSettings(GivenValues.given(changes)).missingFeatures.isEmpty)
    }

    @Test("An unsupported provider stops nothing; supported ones are not reported")
    func providers() throws {
        _ = try GivenValues.settings(["GOTRUE_EXTERNAL_SNAPCHAT_ENABLED": "true"])
        let changes = [
            "GOTRUE_EXTERNAL_APPLE_ENABLED": "true", "GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true",
            "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true", "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true",
            "GOTRUE_MAILER_AUTOCONFIRM": "true",
        ]
        let unused = UnusedSettings(GivenValues.given(changes))
        #expect(unused.names.isEmpty && unused.missingFeatures.isEmpty)
    }

    @Test("A misspelled name of ours is refused, with the right one")
    func misspelt() {
        let problems = GivenValues.problems(["GATEHOUSE_LISTN": "127.0.0.1:1"])
        #expect(
            problems == [SettingsProblem("GATEHOUSE_LISTN", "is not a setting; did you mean GATEHOUSE_LISTEN?")])
    }
}
