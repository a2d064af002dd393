import Foundation
import GatehouseWire
import IdentityProviders
import MailTemplates
import Testing
import TextMessages

@Suite("Requests to providers of text messages")
struct RequestTests {
    struct Expected: Sendable, CustomTestStringConvertible {
        let provider: String
        let url: String
        var user: String?
        var authorization: String?
        let form: String

        var testDescription: String { provider }
    }

    private static let expected = [
        Expected(
            provider: "messagebird", url: "https://rest.messagebird.com/messages",
            authorization: "AccessKey b1rd-s3cret",
            form: "body=123456+is+your+code+%26+more&datacoding=auto&originator=BoxScore&recipients=15551234567"),
        Expected(
            provider: "textlocal", url: "https://api.textlocal.in/send/",
            form: "apikey=l0cal-s3cret%3D&message=123456+is+your+code+%26+more&numbers=15551234567&sender=BOXSCR"),
        Expected(
            provider: "twilio",
            url: "https://api.twilio.com/2010-04-01/Accounts/\(Samples.account)/Messages.json",
            user: "\(Samples.account):tw1lio-s3cret",
            form: "Body=123456+is+your+code+%26+more&MessagingServiceSid=\(Samples.service)&To=%2B15551234567"),
        Expected(
            provider: "twilio_verify", url: "https://verify.twilio.com/v2/Services/VA3/Verifications",
            user: "\(Samples.account):v3rify-s3cret", form: "Channel=sms&To=%2B15551234567"),
        Expected(
            provider: "vonage", url: "https://rest.nexmo.com/sms/json",
            form: "api_key=abcd1234&api_secret=v0nage%2Fs3cret&from=Box+Score"
                + "&text=123456+is+your+code+%26+more&to=15551234567&type=text"),
    ]

    private static func form(
        _ provider: String, without names: String..., changes: [String: String] = [:], _ message: TextMessage
    ) async throws -> String? {
        let network = ScriptedNetwork(201, "{}")
        var settings = Samples.settings.merging(changes) { $1 }
        settings["sms_provider"] = provider
        for name in names { settings[name] = nil }
        _ = try await network.carrier(settings).send(message)
        return network.all.last?.body?.reveal()
    }

    @Test("Each provider gets its form, with its credentials", arguments: expected)
    func requests(expected: Expected) async throws {
        let network = ScriptedNetwork(201, "{}")
        _ = try await network.carrier(expected.provider).send(Samples.message())
        let request = try #require(network.all.first)
        #expect(network.all.count == 1 && request.method == .post)
        #expect(request.url.text == expected.url)
        let basic = expected.user.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(request.authorization?.reveal() == expected.authorization ?? basic)
        #expect(request.body?.reveal() == expected.form)
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test("Every provider is in the table")
    func completeness() { #expect(Self.expected.map(\.provider) == TextProvider.all.map(\.name)) }

    @Test("A text outside of GSM's alphabet is announced to Vonage")
    func unicode() async throws {
        let form = try await Self.form("vonage", Samples.message("123456 é seu código"))
        #expect(form?.hasSuffix("&type=unicode") == true)
    }

    @Test("WhatsApp gets an approved template's code, or else the text")
    func whatsApp() async throws {
        let message = Samples.message("Hello", over: .whatsapp)
        #expect(
            try await Self.form("twilio", message)
                == "ContentSid=HX2&ContentVariables=%7B%221%22%3A%22123456%22%7D&MessagingServiceSid=\(Samples.service)"
                + "&To=whatsapp%3A%2B15551234567")
        let number = ["sms_twilio_message_service_sid": "+15550001111"]
        #expect(
            try await Self.form("twilio", changes: number, message)
                == "ContentSid=HX2&ContentVariables=%7B%221%22%3A%22123456%22%7D&From=whatsapp%3A%2B15550001111"
                + "&To=whatsapp%3A%2B15551234567")
        #expect(
            try await Self.form("twilio", without: "sms_twilio_content_sid", changes: number, message)
                == "Body=Hello&From=whatsapp%3A%2B15550001111&To=whatsapp%3A%2B15551234567")
        #expect(try await Self.form("twilio_verify", message) == "Channel=whatsapp&To=%2B15551234567")
    }

    @Test(
        "Twilio's sender is a messaging service, a number or a name",
        arguments: [
            ("+15550001111", "From=%2B15550001111"), ("ACME", "From=ACME"),
            ("whatsapp:+15550001111", "From=%2B15550001111"), ("MG1", "From=MG1"),
            (Samples.service, "MessagingServiceSid=\(Samples.service)"),
        ])
    func sender(setting: String, field: String) async throws {
        let form = try await Self.form(
            "twilio", changes: ["sms_twilio_message_service_sid": setting], Samples.message("x"))
        #expect(form == "Body=x&\(field)&To=%2B15551234567")
    }

    @Test("Twilio Verify writes in the given language")
    func language() async throws {
        #expect(
            try await Self.form("twilio_verify", Samples.message(in: .portuguese))
                == "Channel=sms&Locale=pt-BR&To=%2B15551234567")
        #expect(
            try await Self.form("twilio_verify", Samples.message(over: .whatsapp, in: .chinese))
                == "Channel=whatsapp&Locale=zh&To=%2B15551234567")
    }

    @Test(
        "Only Twilio sends over WhatsApp, and the others are not called",
        arguments: ["messagebird", "textlocal", "vonage"])
    func noWhatsApp(provider: String) async throws {
        let network = ScriptedNetwork(200, "{}")
        let carrier = try network.carrier(provider)
        #expect(!carrier.provider.canSend(over: .whatsapp) && carrier.provider.canSend(over: .sms))
        let result = try await carrier.send(Samples.message(over: .whatsapp))
        #expect(result == .failed(TextFailure(.configuration, "\(provider): does not send over whatsapp")))
        #expect(network.all.isEmpty)
    }

    @Test(
        "Whatever is no number is refused unsent",
        arguments: ["", "+15551234567", "1555123456x", "123", "1234567890123456"])
    func numbers(number: String) async throws {
        let network = ScriptedNetwork(201, #"{"sid":"SM1"}"#)
        let carrier = try network.carrier("twilio")
        #expect(
            try await carrier.send(Samples.message(to: number)) == .refused(reason: "the number is not valid"))
        #expect(network.all.isEmpty)
    }

    @Test("Values that look like names of values stay as they are")
    func braces() async throws {
        let form = try await Self.form(
            "vonage", changes: ["sms_vonage_from": "{api_secret}"], Samples.message("{to} {api_key}"))
        #expect(form?.contains("from=%7Bapi_secret%7D") == true)
        #expect(form?.contains("text=%7Bto%7D+%7Bapi_key%7D") == true)
    }

    @Test("Neither messages nor settings print")
    func printing() throws {
        let message = Samples.message()
        #expect("\(message) \(String(reflecting: message))" == "sms, 26 bytes sms, 26 bytes")
        var dumped = ""
        let settings = try #require(
            try TextMessageSettings { $0 == "sms_provider" ? "twilio" : Samples.settings[$0] })
        dump(message, to: &dumped)
        dump(settings, to: &dumped)
        for text in [Samples.number, Samples.code, "s3cret"] { #expect(!dumped.contains(text)) }
    }
}
