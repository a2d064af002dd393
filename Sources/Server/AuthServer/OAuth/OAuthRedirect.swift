import GatehouseWire

/// Returns to a client's address, byte for byte, with the answer added to its query (RFC 6749 §4.1.2).
struct OAuthRedirect {
    private let target: String
    private let state: String?
    private let issuer: String

    /// - Parameter target: Registered.
    init(_ target: String, state: String?, issuer: String) {
        (self.target, self.state, self.issuer) = (target, state, issuer)
    }

    func address(of code: Secret) -> String { address([("code", code.reveal())]) }

    func address(of problem: OAuthProblem) -> String {
        address([("error", problem.error), ("error_description", problem.description)])
    }

    private func address(_ answer: [(String, String)]) -> String {
        var fields = answer
        if let state { fields.append(("state", state)) }
        // RFC 9207 §2.
        fields.append(("iss", issuer))
        let query = fields.map { "\($0.0)=\(FormText.escape($0.1))" }.joined(separator: "&")
        return target + (target.contains(ascii: "?") ? "&" : "?") + query
    }
}
