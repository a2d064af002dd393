import AccountDomain
package import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

package enum CaptchaProvider: String, CaseIterable, Sendable {
    case hcaptcha, turnstile

    package var url: String {
        switch self {
        case .hcaptcha: "https://hcaptcha.com/siteverify"
        case .turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify"
        }
    }
}

package struct Captcha: Sendable {
    /// Longer tokens are refused without a call.
    static let longestToken = 8_192
    private static let timeLimit: Duration = .seconds(5)

    private let url: String
    private let secret: Secret
    private let send: SignedTransport

    package init(url: String, secret: Secret, send: @escaping SignedTransport) {
        (self.url, self.secret, self.send) = (url, secret, send)
    }

    /// - Returns: nil if solved, otherwise the service's reasons.
    /// - Throws: ``SignedCallFailure``, ``JSONProblem`` for an unusable response, or `CancellationError`.
    func refusal(of token: Secret, from address: String?) async throws -> [String]? {
        var form = "secret=\(FormText.escape(secret.reveal()))&response=\(FormText.escape(token.reveal()))"
        if let address { form += "&remoteip=\(FormText.escape(address))" }
        let answer = try await send(
            SignedCall(
                name: "captcha", url: url, headers: ["content-type": "application/x-www-form-urlencoded"],
                body: Array(form.utf8),
                maximumBytes: 16_384, timeLimit: Self.timeLimit))
        let members = try JSONReader.read(answer.body)
        guard let isRight = members["success"]?.boolValue else {
            throw JSONProblem.wrongType(member: "success", expected: "a boolean")
        }
        if isRight { return nil }
        return members["error-codes"]?.arrayValue?.compactMap { $0.stringValue?.cut(to: 64) } ?? []
    }
}

extension AuthServer {
    /// Checks `gotrue_meta_security.captcha_token`, except from administrators.
    ///
    /// - Throws: ``Refusal`` `captcha_failed`.
    func requireCaptcha(_ body: JSONMembers, _ request: Request, _ context: ServerContext) async throws {
        guard let captcha else { return }
        if try await isAdministrator(request, context) { return }
        let text = try body.object("gotrue_meta_security")?["captcha_token"]?.stringValue ?? ""
        guard !text.isEmpty else { throw Refusal.captcha("no captcha_token found in request") }
        guard text.utf8.count <= Captcha.longestToken else { throw Refusal.captcha("invalid-input-response") }
        let address = runtime.clientAddress.text(peer: context.peerAddress, request.headers)
        let reasons: [String]?
        do {
            reasons = try await captcha.refusal(of: Secret(text), from: address)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Refusal(
                .internalServerError, .unexpectedFailure, "captcha verification process failed", cause: error)
        }
        if let reasons { throw Refusal.captcha(reasons.joined(separator: ", ")) }
    }

    private func isAdministrator(_ request: Request, _ context: ServerContext) async throws -> Bool {
        guard request.headers[.authorization] != nil || request.headers[.apiKey] != nil else { return false }
        do {
            var context = context
            try await callers.requireOperator(.manage)(request, &context)
            return true
        } catch is Refusal {
            return false
        }
    }
}

extension Refusal {
    fileprivate static func captcha(_ reason: String) -> Refusal {
        Refusal(.badRequest, .captchaFailed, "captcha protection: request disallowed (\(reason))")
    }
}
