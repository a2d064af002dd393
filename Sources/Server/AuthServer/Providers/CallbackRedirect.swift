import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

/// The redirect from a provider's callback to the app: the target URL, byte for byte, with the result added.
struct CallbackRedirect {
    /// The redirect URL, checked against the allow list when the flow began.
    let target: String

    /// Adds an authorization code to the end of the query.
    func code(_ code: Secret) -> Response { redirect(query: [("code", code.reveal())], fragment: nil) }

    /// The address with an authorization code, as ``code(_:)`` redirects to it.
    func location(of code: Secret) -> String { address(query: [("code", code.reveal())], fragment: nil) }

    /// Adds the tokens to the fragment, for the implicit flow.
    func tokens(
        _ issued: IssuedSession, _ signed: SignedToken, _ handout: ProviderHandout?
    ) -> Response {
        var fields = [
            ("access_token", signed.text), ("expires_at", String(signed.expiresAt)),
            ("expires_in", String(signed.lifetime)),
        ]
        if let token = handout?.refreshToken { fields.append(("provider_refresh_token", token.reveal())) }
        fields += [
            ("provider_token", handout?.accessToken?.reveal() ?? ""), ("refresh_token", issued.refreshToken.reveal()),
            ("sb", ""), ("token_type", "bearer"),
        ]
        return redirect(query: [], fragment: fields)
    }

    /// Adds the error to both query and fragment.
    func failure(_ problem: CallbackProblem) -> Response {
        let fields = problem.fields
        return redirect(query: fields, fragment: fields + problem.details + [("sb", "")])
    }

    /// Redirects to the site URL with the error in the query only. For callbacks that match no flow.
    func failureWithoutFlow(_ problem: CallbackProblem) -> Response {
        Answer.redirect(to: address(query: problem.fields, fragment: nil), status: .seeOther).unstored
    }

    /// Adds the tokens of an emailed link to the fragment, for clients without PKCE.
    func linkTokens(
        _ issued: IssuedSession, _ signed: SignedToken, type: String
    ) -> Response {
        linkRedirect(
            query: [],
            fragment: [
                ("access_token", signed.text), ("expires_at", String(signed.expiresAt)),
                ("expires_in", String(signed.lifetime)), ("refresh_token", issued.refreshToken.reveal()), ("sb", ""),
                ("token_type", "bearer"), ("type", type),
            ])
    }

    func linkCode(_ code: Secret) -> Response { linkRedirect(query: [("code", code.reveal())], fragment: nil) }

    /// Adds the error to the fragment, and for clients with PKCE also to the query.
    func linkFailure(_ problem: CallbackProblem, hasProofKey: Bool) -> Response {
        linkRedirect(query: hasProofKey ? problem.fields : [], fragment: problem.fields + [("sb", "")])
    }

    /// Adds a message, as ``linkFailure(_:hasProofKey:)`` does an error.
    func linkMessage(_ message: String, hasProofKey: Bool) -> Response {
        linkRedirect(query: hasProofKey ? [("message", message)] : [], fragment: [("message", message), ("sb", "")])
    }

    private func linkRedirect(query: [(String, String)], fragment: [(String, String)]?) -> Response {
        Answer.redirect(to: address(query: query, fragment: fragment), status: .seeOther).unstored
    }

    private func redirect(query: [(String, String)], fragment: [(String, String)]?) -> Response {
        Answer.redirect(to: address(query: query, fragment: fragment)).unstored
    }

    private func address(query: [(String, String)], fragment: [(String, String)]?) -> String {
        let parts = target.split(ascii: "#", maxSplits: 1, omittingEmptySubsequences: false)
        var address = String(parts[0])
        if !query.isEmpty {
            let last = address.utf8.last
            if !address.contains(ascii: "?") {
                address += "?"
            } else if last != UInt8(ascii: "?"), last != UInt8(ascii: "&") {
                address += "&"
            }
            address += query.map(Self.pair).joined(separator: "&")
        }
        guard let fragment else { return address + (parts.count > 1 ? "#" + parts[1] : "") }
        return address + "#" + fragment.map(Self.pair).joined(separator: "&")
    }

    private static func pair(_ field: (String, String)) -> String {
        "\(FormText.escape(field.0))=\(FormText.escape(field.1))"
    }
}

/// Why a provider sign-in ended without a session.
struct CallbackProblem {
    /// The error code of RFC 6749 §4.1.2.1.
    let error: String
    /// nil for an error that the provider reported.
    let code: AuthErrorCode?
    let description: String
    /// Sent in the fragment only, which browsers do not send to servers.
    var details: [(String, String)] = []

    init(_ error: String, code: AuthErrorCode?, _ description: String) {
        (self.error, self.code, self.description) = (error, code, description)
    }

    init(_ refusal: Refusal) {
        let shows = refusal.oauthError == nil
        error = shows ? Self.error(refusal) : "server_error"
        code = shows ? refusal.code : .unexpectedFailure
        description = shows ? refusal.message : "The identity from the provider could not be verified"
        details = refusal.details.map { name, value in ("\(name)", value.stringValue ?? value.text) }
    }

    var fields: [(String, String)] {
        let all = [("error", error), ("error_code", code?.rawValue ?? ""), ("error_description", description)]
        return all.filter { !$0.1.isEmpty }
    }

    /// Maps refusals by the user to `access_denied`, and all others by their HTTP status.
    private static func error(_ refusal: Refusal) -> String {
        let denied: Set<AuthErrorCode> = [
            .signupDisabled, .userBanned, .providerEmailNeedsVerification, .identityNeedsConfirmation,
        ]
        if denied.contains(refusal.code) { return "access_denied" }
        return switch refusal.status.code {
        case 400: "invalid_request"
        case 401: "unauthorized_client"
        case 403: "access_denied"
        case 503, 504: "temporarily_unavailable"
        default: "server_error"
        }
    }
}
