import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import Logging
import MailTemplates
import TextMessages

/// Sends text messages through the provider of the settings.
struct TextDelivery: Sendable {
    let carrier: TextCarrier
    let writer: TextWriter
    let logger: Logger

    @Sendable func deliver(_ mail: OutgoingMail) async -> MailResult {
        let content = mail.content
        guard let code = content.code else { return .refused(reason: "without a code") }
        let language = content.templateLanguage
        let message = TextMessage(
            to: content.recipient.text, text: writer.text(code, in: language), code: code,
            channel: content.channel ?? .sms, language: language)
        do throws(CancellationError) {
            switch try await carrier.send(message) {
            case .accepted: return .sent
            case .refused(let reason): return .refused(reason: reason)
            // An operator may fix the settings before the code expires.
            case .failed(let failure): return .failed(reason: failure.reason)
            }
        } catch {
            return .failed(reason: "the node stops")
        }
    }

    /// nil unless the provider generates the codes.
    var check: CodeCheck? {
        guard carrier.provider.generatesCodes else { return nil }
        return { phone, code in
            switch try await carrier.check(code, of: phone.text) {
            case .approved: return .right
            case .wrong, .over: return .wrong
            case .failed(let failure):
                logger.event(.warning, "a texted code could not be checked", [.cause: failure.reason])
                return .failed
            }
        }
    }
}
