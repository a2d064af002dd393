import Crypto
import Foundation
package import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// Takes the calls of `hook_send_sms` with their signature ([Standard Webhooks](https://www.standardwebhooks.com)).
package struct InboxTextHook: Sendable {
    /// Standard Webhooks recommends a tolerance, so that a recorded call is soon worthless.
    private static let tolerance: Duration = .seconds(300)
    private static let prefix = "v1,whsec_"

    private let key: SymmetricKey

    /// - Parameter secret: The value of `hook_send_sms_secrets`: `v1,whsec_` and Base64.
    /// - Returns: nil for any other text.
    package init?(secret: Secret) {
        let text = secret.reveal()
        guard text.hasPrefix(Self.prefix), let key = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            !key.isEmpty
        else { return nil }
        self.key = SymmetricKey(data: key)
    }

    /// - Throws: ``Refusal`` `hook_signature` (401) for a call without a valid signature; `bad_json` (400) for a body
    ///   without number or code.
    func message(_ request: Request, _ context: ServerContext, at now: Instant) async throws -> InboxText {
        let body = try await request.bytes(context)
        guard let id = request.headers[Self.header("id")], isSigned(request.headers, id, body, now) else {
            throw Refusal(.unauthorized, RefusalCode("hook_signature"), "This call needs a valid webhook signature.")
        }
        // Ignored: what cannot be read has no members.
        guard let json = try? JSONReader.read(body), let sms = json["sms"],
            let phone = sms["phone"]?.stringValue ?? json["user"]?["phone"]?.stringValue,
            let number = Self.number(phone), let code = sms["otp"]?.stringValue, !code.isEmpty
        else {
            throw Refusal(.badRequest, RefusalCode("bad_json"), "Expected sms with phone and otp.")
        }
        return InboxText(
            id: id, sentAt: now, number: number, text: sms["text"]?.stringValue ?? "Your code is \(code)", code: code,
            type: sms["sms_type"]?.stringValue ?? "")
    }

    private func isSigned(_ headers: HTTPFields, _ id: String, _ body: [UInt8], _ now: Instant) -> Bool {
        guard let time = headers[Self.header("timestamp")], let seconds = Int64(time),
            let signatures = headers[Self.header("signature")], let age = Self.age(seconds, now), age <= Self.tolerance
        else { return false }
        let signed = Array("\(id).\(time).".utf8) + body
        return signatures.split(ascii: " ").contains { signature in
            guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key)
        }
    }

    private static func age(_ seconds: Int64, _ now: Instant) -> Duration? {
        let (age, isTooLong) = now.seconds.subtractingReportingOverflow(seconds)
        return isTooLong || age == .min ? nil : .seconds(abs(age))
    }

    private static func number(_ phone: String) -> String? {
        let digits = phone.hasPrefix("+") ? String(phone.dropFirst()) : phone
        return (1...15).contains(digits.utf8.count) && digits.utf8.allSatisfy(\.isDigit) ? digits : nil
    }

    private static func header(_ name: String) -> HTTPField.Name { .init("webhook-\(name)")! }
}
