import AccountDomain
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// Paths of features that this server lacks respond as Supabase Auth does with the feature disabled: the caller is
// checked, then the IDs in the path; no body is read.
extension AuthServer {
    var absentRoutes: [Route] { absentPartners.flatMap(\.self) }

    /// - Parameters:
    ///   - check: nil needs no caller.
    ///   - slash: Accepts a trailing slash.
    private func absent(
        _ paths: String..., by methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete],
        for check: Route.Guard? = nil, slash: Bool = true, answers answer: AbsentAnswer
    ) -> [Route] {
        paths.flatMap { path in
            methods.map { method in
                Route(method, path, acceptsTrailingSlash: slash, guardedBy: check) { [self] _, context in
                    try await checkIDs(context)
                    switch answer {
                    case .refused(let refusal): throw refusal
                    case .empty(let json): return Answer.json(Array(json.utf8))
                    }
                }
            }
        }
    }

    /// These respond before any check.
    var absentPasskeys: [Route] { absent("/passkeys", "/passkeys/**", answers: .refused(.passkeysOff)) }

    /// Connections to other servers: SAML, administrators' own providers, SCIM.
    private var absentPartners: [[Route]] {
        let saml = AbsentAnswer.off(.samlProviderDisabled, "SAML 2.0 is disabled")
        return [
            absent("/sso", "/sso/**", answers: saml),
            absent(
                "/admin/sso/providers", by: [.get], for: callers.requireOperator(.read),
                answers: .empty(#"{"items":[]}"#)),
            absent("/admin/sso/providers", by: [.post], for: callers.requireOperator(.read), answers: saml),
            absent(
                "/admin/sso/providers/{provider_id}", by: [.get, .put, .delete], for: callers.requireOperator(.read),
                answers: .off(.ssoProviderNotFound, "SSO Identity Provider not found")),
            absent(
                "/admin/custom-providers", "/admin/custom-providers/**", for: callers.requireOperator(.read),
                answers: .off(.featureDisabled, "Custom providers are disabled")),
            absent("/scim/v2/**", answers: .off(.featureDisabled, "SCIM is disabled")),
        ]
    }

    private func checkIDs(_ context: ServerContext) async throws {
        if context.parameters.get("user_id") != nil { _ = try await admin.namedAccount(context) }
    }
}

private enum AbsentAnswer: Sendable {
    case refused(Refusal)
    /// 200 with this JSON.
    case empty(String)

    static func off(_ code: AuthErrorCode, _ message: String) -> Self { .refused(Refusal(.notFound, code, message)) }
}
