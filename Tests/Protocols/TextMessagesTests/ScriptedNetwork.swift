import GatehouseWire
import IdentityProviders
import MailTemplates
import Synchronization
import TextMessages

/// Answers every request alike, and keeps them.
final class ScriptedNetwork: Sendable {
    private let requests = Mutex<[ProviderRequest]>([])
    private let respond: @Sendable () throws -> ProviderResponse

    init(_ respond: @escaping @Sendable () throws -> ProviderResponse) { self.respond = respond }

    convenience init(_ status: Int, _ body: String) {
        self.init { ProviderResponse(status: status, body: Array(body.utf8)) }
    }

    var all: [ProviderRequest] { requests.withLock { $0 } }

    func carrier(_ provider: String, without names: String...) throws -> TextCarrier {
        var settings = Samples.settings
        settings["sms_provider"] = provider
        for name in names { settings[name] = nil }
        return try carrier(settings)
    }

    func carrier(_ settings: [String: String]) throws -> TextCarrier {
        guard let settings = try TextMessageSettings({ settings[$0] }) else { throw Missing() }
        return TextCarrier(settings) { [self] request in
            requests.withLock { $0.append(request) }
            return try respond()
        }
    }

    private struct Missing: Error {}
}

enum Samples {
    static let number = "15551234567"
    static let code = "123456"
    static let account = "AC" + String(repeating: "0", count: 32)
    static let service = "MG" + String(repeating: "1", count: 32)

    static let settings = [
        "sms_twilio_account_sid": account, "sms_twilio_auth_token": "tw1lio-s3cret",
        "sms_twilio_message_service_sid": service, "sms_twilio_content_sid": "HX2",
        "sms_twilio_verify_account_sid": account, "sms_twilio_verify_auth_token": "v3rify-s3cret",
        "sms_twilio_verify_message_service_sid": "VA3", "sms_vonage_api_key": "abcd1234",
        "sms_vonage_api_secret": "v0nage/s3cret", "sms_vonage_from": "Box Score",
        "sms_messagebird_access_key": "b1rd-s3cret", "sms_messagebird_originator": "BoxScore",
        "sms_textlocal_api_key": "l0cal-s3cret=", "sms_textlocal_sender": "BOXSCR",
    ]

    static func message(
        _ text: String = "123456 is your code & more", to number: String = number, over channel: TextChannel = .sms,
        in language: MailLanguage? = nil
    ) -> TextMessage {
        TextMessage(to: number, text: Secret(text), code: Secret(code), channel: channel, language: language)
    }

    /// Nothing of these may be in a reason.
    static var confidential: [String] {
        [number, code, "is your code", account] + settings.values.filter { $0.contains("s3cret") }
    }
}
