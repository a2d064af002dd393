import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates
import Synchronization

extension Visit {
    /// A region, and the number in it.
    ///
    /// - Parameters:
    ///   - problem: Of the number.
    ///   - hint: A number in E.164 format.
    func phoneFields(_ problem: String? = nil, hint: String? = nil) -> [Field] {
        let region = Field(
            kind: .choice, name: "region", label: say("Country or Region"), value: entered("region") ?? likelyRegion,
            options: Self.regions(in: language))
        var number = Field(
            kind: .tel, name: "phone", label: say("Phone Number"), value: entered("phone") ?? hint ?? "",
            autocomplete: "tel-national", maximumLength: 64)
        (number.problem, number.isFocused) = (problem, problem != nil)
        return [region, number]
    }

    /// In E.164 format, with `+`; nil for an invalid one.
    var typedNumber: String? {
        CallingCode.number(typed: (fields["phone"] ?? "").cut(to: 128), region: fields["region"])
    }

    var invalidNumber: String { say("Please enter a valid phone number.") }

    /// The sentence below the number's field; nil for a refusal that does not concern the number.
    func numberProblem(_ refusal: CallRefusal) -> String? {
        switch refusal.code {
        case .smsSendFailed: say("We couldn't send the message. Check the phone number and try again.")
        case .phoneExists: say("This phone number is already associated with another account.")
        case .mfaVerifiedFactorExists: say("You already use this phone number. Enter another one.")
        case .validationFailed: invalidNumber
        default: nil
        }
    }

    /// In blocks, from left to right in every language.
    func shownNumber(_ number: String) -> String {
        let shown = CallingCode.formatted(number).shown
        return language.isRightToLeft ? "\u{2066}\(shown)\u{2069}" : shown
    }

    /// After a refused request, links to an earlier message's code.
    func earlierText(_ refusal: CallRefusal?) -> [Block] {
        guard refusal?.code == .overSMSSendRateLimit, let text = session.text, text.number == typedNumber else {
            return []
        }
        let title = say("Enter the Code Sent to %@", CallingCode.formatted(text.number))
        return [.links([Link(title: title, address: Place.checkMessages.path)])]
    }

    /// The browser's, or where most people speak the page's language.
    private var likelyRegion: String {
        let tags = (request.headers[.acceptLanguage] ?? "").cut(to: 256).split(ascii: ",")
            .compactMap { $0.split(ascii: ";").first?.trimmingCharacters(in: .whitespaces) }
        let chosen = tags.lazy.compactMap { Self.known(Locale(identifier: $0)) }
        let likely = Locale(identifier: language.rawValue).language.maximalIdentifier
        return chosen.first ?? Self.known(Locale(identifier: likely)) ?? "US"
    }

    private static func known(_ locale: Locale) -> String? {
        locale.region.flatMap { CallingCode.of(region: $0.identifier)?.region }
    }

    /// Sorted once per language.
    private static let regions = Mutex<[MailLanguage: [Field.Option]]>([:])

    private static func regions(in language: MailLanguage) -> [Field.Option] {
        regions.withLock { kept in
            if let options = kept[language] { return options }
            let locale = Locale(identifier: language.rawValue)
            let named = CallingCode.all.map { code in
                (name: locale.localizedString(forRegionCode: code.region) ?? code.region, code: code)
            }
            let options = named.sorted { $0.name.compare($1.name, locale: locale) == .orderedAscending }.map { row in
                let digits = language.isRightToLeft ? "\u{2066}+\(row.code.code)\u{2069}" : "+\(row.code.code)"
                return Field.Option(value: row.code.region, title: "\(row.name) (\(digits))")
            }
            kept[language] = options
            return options
        }
    }
}
