import AccountDomain
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// Paths of the protocol whose feature this server does not have.
///
/// They answer as Supabase Auth does with the feature switched off: first the caller is checked, then the ids in the
/// path, then the one answer is given. No body is read.
struct AbsentFeature: Sendable {
    enum Answer: Sendable {
        case refused(Refusal)
        /// 200 with this JSON: there is nothing of the kind.
        case empty(String)
    }

    let paths: [String]
    let methods: [HTTPRequest.Method]
    let check: Route.Guard?
    let slash: Bool
    let answer: Answer

    /// - Parameters:
    ///   - check: nil: the answer needs no caller.
    ///   - slash: Whether a path may end with a slash.
    init(
        _ paths: String..., by methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete],
        for check: Route.Guard? = nil, slash: Bool = true, answers answer: Answer
    ) {
        (self.paths, self.methods, self.check, self.slash, self.answer) = (paths, methods, check, slash, answer)
    }
}

extension AuthServer {
    var absentRoutes: [Route] {
        (absentMails + absentFactors + absentPasskeys + absentPartners).flatMap { feature in
            feature.paths.flatMap { path in
                feature.methods.map { method in
                    Route(method, path, acceptsTrailingSlash: feature.slash, guardedBy: feature.check) { _, context in
                        try await checkIDs(context)
                        switch feature.answer {
                        case .refused(let refusal): throw refusal
                        case .empty(let json): return Answer.json(Array(json.utf8))
                        }
                    }
                }
            }
        }
    }

    /// Mails with codes and links. Without mail no code was ever sent, so none is right.
    private var absentMails: [AbsentFeature] {
        [
            AbsentFeature(
                "/recover", "/resend", by: [.post], for: requireAPIKey, slash: false, answers: .noMail(.badRequest)),
            AbsentFeature(
                "/otp", "/magiclink", by: [.post], for: requireAPIKey, slash: false,
                answers: .noMail(.unprocessableContent)),
            AbsentFeature("/verify", by: [.get, .post], answers: .codeUnknown),
            AbsentFeature("/reauthenticate", by: [.get], for: requireUser, answers: .noMail(.badRequest)),
            AbsentFeature(
                "/invite", "/admin/generate_link", by: [.post], for: requireAdmin, slash: false,
                answers: .noMail(.unprocessableContent)),
        ]
    }

    /// Second factors and recovery codes. ``enrollFactor(_:_:)`` refuses each kind, so no account has one.
    private var absentFactors: [AbsentFeature] {
        let (factor, codes) = ("/factors/{factor_id}", "/factors/recovery-codes")
        let user: Route.Guard = requirePermanentUser
        return [
            AbsentFeature(factor, by: [.delete], for: user, answers: .factorUnknown),
            AbsentFeature("\(factor)/challenge", "\(factor)/verify", by: [.post], for: user, answers: .factorUnknown),
            AbsentFeature(codes, by: [.get], for: user, answers: .noRecoveryCodes),
            // To remove them takes a session with a second factor.
            AbsentFeature(codes, by: [.delete], for: user, answers: .levelTooLow),
            AbsentFeature(codes, "\(codes)/regenerate", by: [.post], for: user, answers: .codesNotMade),
            AbsentFeature("\(codes)/verify", by: [.post], for: user, answers: .codesNotTaken),
            AbsentFeature("/admin/users/{user_id}/factors", by: [.get], for: requireAdmin, answers: .empty("[]")),
            AbsentFeature(
                "/admin/users/{user_id}/factors/{factor_id}", by: [.put, .delete], for: requireAdmin,
                answers: .factorUnknown),
        ]
    }

    /// Passkeys. The routes for people answer before any check.
    private var absentPasskeys: [AbsentFeature] {
        [
            AbsentFeature("/passkeys", "/passkeys/**", answers: .off(.passkeyDisabled, "Passkeys are disabled")),
            AbsentFeature("/admin/users/{user_id}/passkeys", by: [.get], for: requireAdmin, answers: .empty("[]")),
            AbsentFeature(
                "/admin/users/{user_id}/passkeys/{passkey_id}", by: [.delete], for: requireAdmin,
                answers: .off(.validationFailed, "Passkey not found")),
        ]
    }

    /// What connects other servers: the OAuth server, SAML, providers that an administrator adds, SCIM.
    private var absentPartners: [AbsentFeature] {
        let oauth = AbsentFeature.Answer.off(.featureDisabled, "OAuth server is disabled")
        let saml = AbsentFeature.Answer.off(.samlProviderDisabled, "SAML 2.0 is disabled")
        return [
            AbsentFeature("/.well-known/oauth-authorization-server", by: [.get], slash: false, answers: oauth),
            AbsentFeature("/oauth/**", answers: oauth),
            AbsentFeature("/user/oauth/grants", by: [.get, .delete], for: requireUser, answers: oauth),
            AbsentFeature("/admin/oauth/clients", "/admin/oauth/clients/**", for: requireAdmin, answers: oauth),
            AbsentFeature("/sso", "/sso/**", answers: saml),
            AbsentFeature("/admin/sso/providers", by: [.get], for: requireAdmin, answers: .empty(#"{"items":[]}"#)),
            AbsentFeature("/admin/sso/providers", by: [.post], for: requireAdmin, answers: saml),
            AbsentFeature(
                "/admin/sso/providers/{provider_id}", by: [.get, .put, .delete], for: requireAdmin,
                answers: .off(.ssoProviderNotFound, "SSO Identity Provider not found")),
            AbsentFeature(
                "/admin/custom-providers", "/admin/custom-providers/**", for: requireAdmin,
                answers: .off(.featureDisabled, "Custom providers are disabled")),
            AbsentFeature("/scim/v2/**", answers: .off(.featureDisabled, "SCIM is disabled")),
        ]
    }

    /// `POST /factors`: enrolling is off for every kind of factor.
    @Sendable func enrollFactor(_ request: Request, _ context: ServerContext) async throws -> Response {
        switch try await request.jsonMembers(context).string("factor_type") {
        case "totp": throw Refusal.enrollingOff(.mfaTOTPEnrollNotEnabled, "TOTP")
        case "phone": throw Refusal.enrollingOff(.mfaPhoneEnrollNotEnabled, "Phone")
        case "webauthn": throw Refusal.enrollingOff(.mfaWebAuthnEnrollNotEnabled, "WebAuthn")
        default: throw Refusal.invalid("factor_type needs to be totp, phone, or webauthn")
        }
    }

    /// An id in a path has to be one, and an account has to exist.
    private func checkIDs(_ context: ServerContext) async throws {
        if context.parameters.get("user_id") != nil { _ = try await namedAccount(context) }
        if let factor = context.parameters.get("factor_id"), UUIDText.canonical(factor) == nil {
            throw Refusal(.notFound, .validationFailed, "factor_id must be an UUID")
        }
    }
}

extension AbsentFeature.Answer {
    fileprivate static let codeUnknown = refused(
        Refusal(.forbidden, .otpExpired, "Token has expired or is invalid"))
    fileprivate static let factorUnknown = off(.mfaFactorNotFound, "Factor not found")
    fileprivate static let noRecoveryCodes = off(.mfaFactorNotFound, "The user has not enrolled recovery codes")
    fileprivate static let levelTooLow = refused(
        Refusal(.forbidden, .insufficientAAL, "AAL2 required to delete recovery codes"))

    fileprivate static func off(_ code: AuthErrorCode, _ message: String) -> Self {
        .refused(Refusal(.notFound, code, message))
    }

    fileprivate static func noMail(_ status: HTTPResponse.Status) -> Self {
        .refused(Refusal(status, .emailProviderDisabled, "This server sends no mail"))
    }

    fileprivate static let codesNotMade = refused(
        Refusal(
            .unprocessableContent, .mfaRecoveryCodesEnrollNotEnabled, "MFA enroll is disabled for recovery codes")
    )
    fileprivate static let codesNotTaken = refused(
        Refusal(
            .unprocessableContent, .mfaRecoveryCodesVerifyNotEnabled,
            "MFA verification is disabled for recovery codes"))
}

extension Refusal {
    fileprivate static func enrollingOff(_ code: AuthErrorCode, _ kind: String) -> Refusal {
        Refusal(.unprocessableContent, code, "MFA enroll is disabled for \(kind)")
    }
}
