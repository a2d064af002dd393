import GatehouseWire

enum MethodNames {
    static func shown(_ method: String) -> String {
        switch method {
        case "otp": "Emailed or texted code, or link"
        case "link": "Confirmed link"
        // A longer text is no provider's name.
        default: (method.utf8.count <= 64 ? ProviderTitle.text(of: method) : method).cutForChart
        }
    }
}

enum SignInEnd: String, CaseIterable {
    case succeeded = "Succeeded"
    case waiting = "Waiting for the user"
    case refused = "Rejected"

    init(outcome: String) {
        switch outcome {
        case "ok", "signed_in", "signed_up", "linked", "confirmed": self = .succeeded
        case "waits_for_confirmation", "needs_confirmation": self = .waiting
        default: self = .refused
        }
    }

    var tone: BarChart.Tone {
        switch self {
        case .succeeded: .solid
        case .waiting: .dots
        case .refused: .backStripes
        }
    }
}

enum VerdictNames {
    static func shown(_ verdict: String) -> String {
        switch verdict {
        case "rotate": "Renewed"
        case "reissue": "Reissued"
        case "reissue_late": "Reissued late"
        case "revoke": "Reused: session revoked"
        case "expired": "Session ended"
        case "unknown": "Unknown token"
        case "malformed": "Malformed token"
        case "banned": "Banned user"
        case "ahead": "Never issued"
        default: verdict.cutForChart
        }
    }
}
