package import AccountDomain
import GatehouseWire
package import Logging

/// The raw values name the settings.
package enum HookName: String, CaseIterable, Sendable {
    case customAccessToken = "custom_access_token"
    case beforeUserCreated = "before_user_created"
    case passwordVerificationAttempt = "password_verification_attempt"
    case mfaVerificationAttempt = "mfa_verification_attempt"
    case sendEmail = "send_email"
    case sendSMS = "send_sms"

    /// `metadata.name` of the payload.
    var payloadName: String {
        switch self {
        case .customAccessToken: "customize-access-token"
        case .beforeUserCreated: "before-user-created"
        case .passwordVerificationAttempt: "password-verification"
        case .mfaVerificationAttempt: "mfa-verification"
        case .sendEmail: "send-email"
        case .sendSMS: "send-sms"
        }
    }
}

package struct Hook: Sendable {
    package let url: String
    package let secrets: [WebhookSecret]
    /// Applies while the hook cannot be reached. A rejection is always enforced.
    package let continuesOnFailure: Bool

    package init(url: String, secrets: [WebhookSecret], continuesOnFailure: Bool) {
        (self.url, self.secrets, self.continuesOnFailure) = (url, secrets, continuesOnFailure)
    }
}

package struct SignedCall: Sendable {
    /// In traces, such as `hook send_email`.
    package let name: String
    package let url: String
    package let headers: [String: String]
    package let body: [UInt8]
    /// nil if only the status matters; then the body is not read.
    package let maximumBytes: Int?
    package let timeLimit: Duration
    /// Limits concurrent calls of one line; nil for the host's line.
    package let line: String?

    init(
        name: String, url: String, headers: [String: String], body: [UInt8], maximumBytes: Int?, timeLimit: Duration,
        line: String? = nil
    ) {
        self.name = name
        (self.url, self.headers, self.body, self.maximumBytes) = (url, headers, body, maximumBytes)
        (self.timeLimit, self.line) = (timeLimit, line)
    }
}

package struct SignedCallAnswer: Sendable {
    package let status: Int
    package let contentType: String?
    /// As received.
    package let retryAfter: String?
    package let body: [UInt8]

    package init(status: Int, contentType: String?, retryAfter: String?, body: [UInt8]) {
        (self.status, self.contentType, self.retryAfter) = (status, contentType, retryAfter)
        self.body = body
    }
}

/// The causes are for the log.
package enum SignedCallFailure: Error, Equatable, Sendable {
    case timedOut
    case tooLong
    case noConnection(String)
    case addressRefused(String)

    var cause: String {
        switch self {
        case .timedOut: "timed out"
        case .tooLong: "the answer is too long"
        case .noConnection(let cause), .addressRefused(let cause): cause
        }
    }
}

/// Does not follow redirects. Throws ``SignedCallFailure``, or `CancellationError` as soon as the caller is cancelled.
package typealias SignedTransport = @Sendable (SignedCall) async throws -> SignedCallAnswer

package struct Hooks: Sendable {
    private let byName: [HookName: Hook]
    let send: SignedTransport
    let logger: Logger

    package init(_ byName: [HookName: Hook], logger: Logger, send: @escaping SignedTransport) {
        (self.byName, self.logger, self.send) = (byName, logger, send)
    }

    subscript(name: HookName) -> Hook? { byName[name] }
}
