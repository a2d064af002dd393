public import Foundation
import Gatehouse

/// A report for the app's support: why a session ended, or a call failed unexpectedly.
///
/// ```swift
/// if let report = account.report {
///     ShareLink(item: report.text) { Text("Send Report") }
/// }
/// ```
///
/// It contains no personal data, and is never sent automatically. The operator finds ``requestID`` in the server's log.
public struct AuthReport: Hashable, Sendable, CustomStringConvertible {
    /// The server's error code, such as `refresh_token_not_found`, or `other`.
    public let reason: String
    /// Why the session ended, such as `password_changed`; nil if unknown.
    public let cause: String?
    /// The rejected request's HTTP status.
    public let status: Int?
    /// The rejected request's id in the server's log.
    public let requestID: String?
    /// The time of the session's end or the report, by the device's clock.
    public let time: Date
    /// The versions of app, device model, system and library, as in `User-Agent`.
    public let client: String
    /// The client's last ten events with their times, newest last.
    public let events: [String]

    /// The report in English, one fact per line.
    public var text: String {
        let facts: [(name: String, value: String?)] = [
            ("Reason", reason), ("Cause", cause), ("HTTP status", status.map { String($0) }), ("Request ID", requestID),
            ("Time", time.formatted(.iso8601)), ("Client", client),
        ]
        let lines = facts.compactMap { fact in fact.value.map { "\(fact.name): \($0)" } }
        return (lines + ["Events:"] + (events.isEmpty ? ["none"] : events)).joined(separator: "\n")
    }

    /// ``text``.
    public var description: String { text }
}

enum ReportedFailure: Hashable, Sendable {
    case ended(AuthErrorCode, because: SessionEndReason?)
    case refused(AuthRefusal)

    /// nil for errors that explain themselves or that no server logged.
    init?(_ error: AuthError) {
        guard case .networkError(.refused(let refusal)) = error, refusal.requestID != nil else { return nil }
        self = .refused(refusal)
    }
}

extension AuthManager {
    /// A report about the session's end by the server, or an unexpected, logged ``error``.
    public var report: AuthReport? {
        if case .endedByServer(let code, let cause) = signedOutReason { return report(.ended(code, because: cause)) }
        return error.flatMap { ReportedFailure($0) }.map(report)
    }

    /// Returns a report about a message's failure, unless it explains itself.
    public func report(about message: SignInMessage) -> AuthReport? { message.reported.map(report) }

    private func report(_ failure: ReportedFailure) -> AuthReport {
        switch failure {
        case .ended(let code, let cause):
            // Apple ends a session without a request.
            let known = code == .consentRevoked ? nil : ending
            return report(code, cause, known?.refusal, at: known?.time)
        case .refused(let refusal): return report(refusal.code, nil, refusal, at: nil)
        }
    }

    private func report(
        _ code: AuthErrorCode?, _ cause: SessionEndReason?, _ refusal: AuthRefusal?, at time: Date?
    ) -> AuthReport {
        AuthReport(
            reason: code?.rawValue.reported ?? "other", cause: cause?.rawValue.reported, status: refusal?.status,
            requestID: refusal?.requestID, time: time ?? clock.now(), client: SystemDefaults.userAgent(),
            events: recent.lines)
    }
}
