import AccountDomain
import AuthServer
import GatehouseWire
import TextMessages

/// With Supabase's names.
extension Setting {
    package static let phoneEnabled = Setting(
        "external_phone_enabled", .gotrue, .flag(false), "Allows sign-up and sign-in by telephone number.")
    package static let smsProvider = Setting(
        "sms_provider", .gotrue, .text(),
        "Sends text messages: `twilio`, `twilio_verify`, `vonage`, `messagebird` or `textlocal`, each with its "
            + "[credentials](phone.md). Or use the hook `send_sms`.")
    package static let smsCountries = Setting(
        "sms_allowed_countries", .none, .text(),
        "Comma-separated beginnings of allowed numbers (`+49,+4366`), or `*` for every country. Required to send "
            + "messages: fraudsters earn from expensive ones.")
    package static let smsAutoConfirm = Setting(
        "sms_autoconfirm", .gotrue, .flag(false), "Confirms new numbers without a code. For tests.")
    package static let smsCodeLifetime = Setting(
        "sms_otp_exp", .gotrue, .number(30...3_600, 300), "Lifetime of a texted code in seconds, 30 to 3600.")
    package static let smsInterval = Setting(
        "sms_max_frequency", .gotrue, .durationOrZero("60s"),
        "Minimum time between two messages of one kind to one number or account.")
    package static let smsTemplate = Setting(
        "sms_template", .gotrue, .text(), "Text of messages; `{{ .Code }}` is the code. Default: the user's language.")
    package static let smsDomain = Setting(
        "sms_domain", .none, .text(), "Domain for which iOS fills codes in. Default: the host of `site_url`.")
    package static let smsTestCodes = Setting(
        "sms_test_otp", .gotrue, .secret,
        "Numbers with fixed codes, which get no messages: `15550001111:123456`, comma-separated.")
    package static let smsTestCodesEnd = Setting(
        "sms_test_otp_valid_until", .gotrue, .text(), "When the fixed codes end: `2027-01-31T00:00:00Z`.")
    package static let rateTexts = Setting(
        "rate_limit_sms_sent", .gotrue, .number(0...1_000_000_000, 30),
        "Messages per hour to confirmed numbers, and as many to others. One client address may request a third.")
    package static let rateTextsDaily = Setting(
        "rate_limit_sms_daily", .none, .number(0...1_000_000_000, 500), "Likewise per day.")
    package static let rateTextsToRange = Setting(
        "rate_limit_sms_range", .none, .number(0...1_000_000_000, 10),
        "Messages per hour to numbers that differ only in the last four digits.")
    package static let rateTextsToCountry = Setting(
        "rate_limit_sms_country", .none, .number(0...1_000_000_000, 60),
        "Messages per hour to numbers with one of the allowed beginnings.")
    static let smsCredentials = TextMessageSettings.names.filter { $0 != TextMessageSettings.providerName }.map {
        name in
        Setting(
            name, .gotrue, TextMessageSettings.secretNames.contains(name) ? .secret : .text(),
            "Credentials of the [provider](phone.md) that `sms_provider` names.",
            documentedKey: "sms_<provider>_<name>")
    }
    package static let enrollPhone = Setting(
        "mfa_phone_enroll_enabled", .gotrue, .flag(false), "Lets users add a number as a second factor.")
    package static let verifyPhone = Setting(
        "mfa_phone_verify_enabled", .gotrue, .flag(false), "Accepts texted codes as a second factor.")

    static let phone: [Setting] =
        [
            phoneEnabled, smsProvider, smsCountries, smsAutoConfirm, smsCodeLifetime, smsInterval, smsTemplate,
            smsDomain,
            smsTestCodes, smsTestCodesEnd, rateTexts, rateTextsDaily, rateTextsToRange, rateTextsToCountry, enrollPhone,
            verifyPhone,
        ] + smsCredentials
}

extension SettingsReader {
    /// nil without a use for text messages.
    mutating func textRules() -> TextRules? {
        var rules = TextRules()
        rules.provider = text(.smsProvider) ?? ""
        let provider = textProvider()
        rules.sendsWhatsApp = provider?.provider.canSend(over: .whatsapp) ?? hasTextHook
        rules.confirmsAutomatically = flag(.smsAutoConfirm)
        rules.codeLifetime = .seconds(number(.smsCodeLifetime))
        rules.interval = duration(.smsInterval) ?? .zero
        rules.requiresReauthentication = flag(.requireReauthentication)
        rules.testCodes = testCodes()
        rules.testCodesEnd = testCodesEnd()
        rules.prefixes = given.has(.smsCountries) ? prefixes() : nil
        guard [Setting.phoneEnabled, .enrollPhone, .verifyPhone].contains(where: { flag($0) }) else { return nil }
        guard sendsTexts else {
            // Supabase's configurations enable numbers as factors alone. ``SettingsChecks`` reports it.
            if flag(.phoneEnabled), !rules.confirmsAutomatically {
                let hook = HookSettings.all.first { $0.name == .sendSMS }?.enabled.environmentName ?? ""
                refuse(.phoneEnabled, "needs \(Setting.smsProvider.environmentName) or the hook of \(hook)")
            }
            return rules
        }
        // A folder of mails costs nothing.
        if !given.has(.smsCountries), flag(.phoneEnabled) || given.has(.smsProvider) || hasTextHook {
            refuse(.smsCountries, "not set; \(Self.notCountries)")
        }
        return rules
    }

    private var hasTextHook: Bool {
        HookSettings.all.first { $0.name == .sendSMS }.map { given.has($0.enabled) } ?? false
    }

    private var sendsTexts: Bool { given.has(.smsProvider) || given.has(.mailFolder) || hasTextHook }

    /// nil without `sms_provider`.
    mutating func textProvider() -> TextMessageSettings? {
        let settings = Dictionary(uniqueKeysWithValues: ([.smsProvider] + Setting.smsCredentials).map { ($0.key, $0) })
        do throws(TextSettingsProblems) {
            return try TextMessageSettings { name in settings[name].flatMap { given[$0]?.text } }
        } catch {
            for problem in error.problems {
                if let setting = settings[problem.setting] { refuse(setting, problem.text) }
            }
            return nil
        }
    }

    /// - Parameter siteURL: Its host is the usual domain of codes.
    mutating func textWriter(siteURL: String) -> TextWriter {
        var template: TextTemplate?
        if let source = text(.smsTemplate) {
            do throws(TextTemplateFault) { template = try TextTemplate(source) } catch {
                refuse(.smsTemplate, "\(error)")
            }
        }
        let host = siteURL.hasPrefix("http") ? URLParts(siteURL)?.host : nil
        return TextWriter(app: appName ?? host ?? "", domain: text(.smsDomain) ?? host, template: template)
    }

    private static let notCountries = "expected what numbers begin with, such as +49,+4366, or * for every country"

    private mutating func prefixes() -> [String]? {
        let entries = list(.smsCountries)
        guard entries != ["*"] else { return nil }
        return entries.map { entry in
            let digits = entry.hasPrefix("+") ? String(entry.dropFirst()) : ""
            if !(1...15).contains(digits.utf8.count) || digits.hasPrefix("0") || !digits.utf8.allSatisfy(\.isDigit) {
                refuse(.smsCountries, Self.notCountries)
            }
            return digits
        }
    }

    private mutating func testCodes() -> [PhoneNumber: Secret] {
        var codes: [PhoneNumber: Secret] = [:]
        for entry in list(.smsTestCodes) {
            let parts = entry.split(maxSplits: 1) { $0 == ":" || $0 == "=" }.map(String.init)
            guard parts.count == 2, let phone = PhoneNumber(parts[0]), parts[1].utf8.count == MintedToken.digits,
                parts[1].utf8.allSatisfy(\.isDigit)
            else {
                refuse(.smsTestCodes, "expected numbers with codes of six digits, such as 15550001111:123456")
                return [:]
            }
            codes[phone] = Secret(parts[1])
        }
        return codes
    }

    private mutating func testCodesEnd() -> Instant? {
        guard let text = text(.smsTestCodesEnd) else { return nil }
        if let end = Instant(text) { return end }
        refuse(.smsTestCodesEnd, "expected a time such as 2027-01-31T00:00:00Z")
        return nil
    }
}
