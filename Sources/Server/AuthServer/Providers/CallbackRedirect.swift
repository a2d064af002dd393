import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

/// The target URL, byte for byte, with the result added.
struct CallbackRedirect {
    /// Checked against the allow list when the flow began.
    let target: String

    /// In the query.
    func code(_ code: Secret) -> Response { redirect(query: [("code", code.reveal())], fragment: nil) }

    /// The URL that ``code(_:)`` redirects to.
    func location(of code: Secret) -> String { address(query: [("code", code.reveal())], fragment: nil) }

    /// In the fragment, for the implicit flow.
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

    /// In both query and fragment.
    func failure(_ problem: CallbackProblem) -> Response {
        let fields = problem.fields
        return redirect(query: fields, fragment: fields + problem.details + [("sb", "")])
    }

    /// To the site URL, with the error in the query only.
    func failureWithoutFlow(_ problem: CallbackProblem) -> Response {
        Answer.redirect(to: address(query: problem.fields, fragment: nil), status: .seeOther).unstored
    }

    /// In the fragment, for clients without PKCE.
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

    /// In the fragment, and with PKCE also in the query.
    func linkFailure(_ problem: CallbackProblem, hasProofKey: Bool) -> Response {
        linkRedirect(query: hasProofKey ? problem.fields : [], fragment: problem.fields + [("sb", "")])
    }

    /// Placed like the error of ``linkFailure(_:hasProofKey:)``.
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

struct CallbackProblem {
    /// RFC 6749 §4.1.2.1.
    let error: String
    /// nil for an error that the provider reported.
    let code: AuthErrorCode?
    let description: String
    /// In the fragment only, which browsers do not send to servers.
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

    /// Refusals by the user become `access_denied`; others depend on the HTTP status.
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
