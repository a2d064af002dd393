import GatehouseWire
import Testing

@testable import TextMessages

@Suite("Settings of text messages")
struct SettingsTests {
    private static func problems(_ settings: [String: String]) -> [TextSettingsProblem] {
        do throws(TextSettingsProblems) {
            _ = try TextMessageSettings { settings[$0] }
            return []
        } catch {
            return error.problems
        }
    }

    @Test("The settings have the names of Supabase Auth")
    func names() {
        #expect(TextMessageSettings.names == (["sms_provider"] + Samples.settings.keys).sorted())
        #expect(
            TextMessageSettings.secretNames == [
                "sms_messagebird_access_key", "sms_textlocal_api_key", "sms_twilio_auth_token",
                "sms_twilio_verify_auth_token", "sms_vonage_api_secret",
            ])
    }

    @Test("Each provider needs its settings and no others", arguments: TextProvider.all.map(\.name))
    func complete(provider: String) throws {
        let own = Samples.settings.filter {
            $0.key.hasPrefix("sms_\(provider)_")
                && (provider != "twilio" || !$0.key.hasPrefix("sms_twilio_verify"))
        }
        let settings = try TextMessageSettings { $0 == "sms_provider" ? provider : own[$0] }
        #expect(settings?.provider.name == provider)
        let required = own.keys.filter { $0 != "sms_twilio_content_sid" }.sorted()
        #expect(Self.problems(["sms_provider": provider]).map(\.setting) == required)
    }

    @Test("Without a provider there are no settings", arguments: [nil, ""])
    func absent(provider: String?) throws {
        let settings = try TextMessageSettings { $0 == "sms_provider" ? provider : Samples.settings[$0] }
        #expect(settings == nil)
    }

    @Test("An unknown provider is named with the known ones")
    func unknown() {
        #expect(
            Self.problems(["sms_provider": "pigeon"]) == [
                TextSettingsProblem(
                    setting: "sms_provider",
                    text: "expected one of messagebird, textlocal, twilio, twilio_verify, vonage")
            ])
    }

    @Test("All problems are found together, and no value is quoted")
    func several() {
        let found = Self.problems([
            "sms_provider": "twilio", "sms_twilio_account_sid": "AC/../1", "sms_twilio_auth_token": "with space",
            "sms_twilio_message_service_sid": "", "sms_twilio_content_sid": "H\n",
        ])
        #expect(
            found.map { "\($0.setting) \($0.text)" } == [
                "sms_twilio_account_sid expected 1 to 64 letters, digits, - and _",
                "sms_twilio_auth_token expected at most 256 printable characters without spaces",
                "sms_twilio_content_sid expected 1 to 64 letters, digits, - and _",
                "sms_twilio_message_service_sid is missing: Twilio needs it",
            ])
        let sender = ["sms_provider": "vonage", "sms_vonage_from": "A\u{202E}B"].merging(Samples.settings) { own, _ in
            own
        }
        #expect(Self.problems(sender).map(\.text) == ["expected a phone number or a name, at most 64 bytes"])
    }
}
