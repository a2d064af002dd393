import Foundation
import Gatehouse

/// The last ten, in memory only. Lines are fixed words and server codes, never personal data.
struct RecentEvents {
    static let limit = 10
    private(set) var lines: [String] = []

    mutating func keep(_ line: String, at time: Date) {
        lines.append("\(time.formatted(.iso8601)) \(line)")
        lines.removeFirst(max(0, lines.count - Self.limit))
    }
}

struct SessionEnding: Hashable, Sendable {
    let refusal: AuthRefusal
    let time: Date
}

extension AuthEvent {
    var line: String {
        switch self {
        case .initialSession: "session_initial"
        case .signedIn: "session_signed_in"
        case .signedOut(let reason): "session_signed_out \(reason.words)"
        case .tokenRefreshed: "session_token_refreshed"
        case .mfaChallengeVerified: "session_factor_verified"
        case .userUpdated: "session_user_updated"
        case .passwordRecovery: "session_password_recovery"
        }
    }
}

extension SignedOutReason {
    fileprivate var words: String {
        switch self {
        case .neverSignedIn: "reason=never_signed_in"
        case .requested: "reason=requested"
        case .endedByServer(let code, let cause):
            "reason=\(code.rawValue.reported)" + (cause.map { " cause=\($0.rawValue.reported)" } ?? "")
        case .signedOutElsewhere: "reason=signed_out_elsewhere"
        case .storeDamaged: "reason=store_damaged"
        }
    }
}

extension String {
    /// Other text might contain personal data.
    var reported: String { isPlainWord ? self : "other" }
}
