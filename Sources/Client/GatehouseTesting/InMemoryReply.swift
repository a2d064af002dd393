import Foundation
import Gatehouse
import GatehouseWire

extension HTTPReply {
    static let empty = HTTPReply(status: 200, body: Array("{}".utf8))

    static func json(_ write: (inout JSONWriter) -> Void) -> HTTPReply {
        var writer = JSONWriter()
        write(&writer)
        return HTTPReply(status: 200, body: writer.bytes)
    }

    static func json(_ json: AuthJSON) -> HTTPReply { .json { $0.value(json) } }

    static func user(_ user: AuthUser) -> HTTPReply { .json { user.write(to: &$0) } }

    static func session(_ session: AuthSession) -> HTTPReply {
        .json { writer in
            writer.session(
                accessToken: session.accessToken, refreshToken: session.refreshToken,
                expiresIn: Int64(session.expiresIn), expiresAt: Int64(session.expiresAt), providerToken: nil,
                providerRefreshToken: nil, weakPassword: .leftOut
            ) { session.user.write(to: &$0) }
        }
    }

    static func sessions(_ sessions: [SessionInfo]) -> HTTPReply {
        .json { writer in
            writer.beginObject()
            writer.list("sessions", sessions) { writer, session in
                writer.sessionInfo(
                    id: session.id.wire, createdAt: session.createdAt.instant,
                    refreshedAt: session.refreshedAt?.instant, userAgent: session.userAgent,
                    ipAddress: session.ipAddress, isCurrent: session.isCurrent, isBound: session.isBound,
                    oauthClient: session.oauthClient.map { ($0.id, $0.name) }, child: session.child)
            }
            writer.endObject()
        }
    }

    static func undoableLinks(_ links: [AuthUndoableLink]) -> HTTPReply {
        .json { writer in
            writer.beginObject()
            writer.list("links", links) { writer, link in
                writer.undoableLink(
                    identityID: link.id.wire, provider: link.provider, rule: link.rule, linkedAt: link.linkedAt.instant,
                    until: link.until.instant)
            }
            writer.endObject()
        }
    }

    static func account(_ account: SignedInAccount) -> HTTPReply {
        .json { writer in
            writer.signedInAccount(
                id: account.id.wire, email: account.email, profile: account.profile.map(ProfileRecord.init))
        }
    }

    init(_ refusal: AuthRefusal, byGateway: Bool) {
        var writer = JSONWriter()
        switch refusal.code {
        case nil where byGateway: break
        case nil: writer.value(["message": "in memory"])
        case let code? where byGateway:
            writer.gatewayError(code: code.rawValue, message: refusal.message, field: refusal.field)
        case .invalidProof?: writer.authError(.oauth(error: "invalid_dpop_proof"), .invalidProof, "in memory")
        case let code?:
            let reasons = refusal.weakPasswordReasons
            writer.authError(
                .current, code, "in memory", weakPasswordReasons: reasons.isEmpty ? nil : reasons,
                details: refusal.details)
        }
        var headers: [String: String] = [:]
        headers["retry-after"] = refusal.retryAfter.map { "\($0.components.seconds)" }
        headers["x-request-id"] = "in-memory"
        headers["x-gatehouse-session-end"] = refusal.sessionEnd?.rawValue
        self.init(status: refusal.status, headers: headers, body: writer.bytes)
    }
}

extension AuthRefusal {
    fileprivate var details: [(name: StaticString, value: AuthJSON)] {
        var details: [(name: StaticString, value: AuthJSON)] = []
        if let question = linkQuestion {
            details = AuthLinkQuestion.members(
                ticket: question.ticket.text, expiresAt: Int64(question.expiresAt.timeIntervalSince1970),
                email: question.email, provider: question.provider, signInMethods: question.signInMethods,
                canRecover: question.canRecover, canMailCode: question.canMailCode,
                canUsePasskey: question.canUsePasskey)
        }
        if let ticket = setAsideTicket {
            details += [
                ("set_aside_ticket", .string(ticket.text)),
                ("set_aside_ticket_expires_at", .double(ticket.expiresAt.timeIntervalSince1970)),
            ]
        }
        return details
    }
}

extension ProfileRecord {
    fileprivate init(_ profile: ProfileSummary) {
        self.init(
            id: profile.id.wire, firstName: profile.firstName, data: AuthJSON.object(profile.data).text, name: nil,
            avatarURL: nil, timezone: nil, isPremium: false, createdAt: profile.createdAt.instant,
            updatedAt: profile.createdAt.instant,
            others: profile.others.map { Member(name: $0.key, json: $0.value.text) })
    }
}

extension AuthServerSettings {
    var json: AuthJSON {
        var external: AuthJSONObject = [
            "email": .bool(allowsEmail), "phone": .bool(allowsPhone), "anonymous_users": .bool(allowsAnonymousSignIn),
        ]
        for provider in providers { external[provider.rawValue] = true }
        var members: AuthJSONObject = [
            "external": .object(external), "disable_signup": .bool(!allowsSignUp),
            "mailer_autoconfirm": .bool(confirmsEmailAutomatically), "passkeys_enabled": .bool(allowsPasskeys),
            "passkey_signup_enabled": .bool(allowsPasskeySignUp),
            "mfa_totp_enabled": .bool(allowsAuthenticatorApps),
            "mfa_recovery_codes_enabled": .bool(allowsRecoveryCodes),
            "phone_autoconfirm": .bool(confirmsPhoneAutomatically), "sms_provider": .string(smsProvider ?? ""),
            "mfa_phone_enabled": .bool(allowsPhoneFactors),
        ]
        members["oauth_server_enabled"] = hasOAuthServer.map(AuthJSON.bool)
        members["mailer_enabled"] = sendsMail.map(AuthJSON.bool)
        members["password_min_length"] = minimumPasswordLength.map { .integer(Int64($0)) }
        members["mailer_otp_length"] = codeLength.map { .integer(Int64($0)) }
        members["sms_otp_length"] = phoneCodeLength.map { .integer(Int64($0)) }
        return .object(members)
    }
}

extension AuthPasskey {
    var json: AuthJSON {
        var members: AuthJSONObject = ["id": .string(id.wire), "created_at": .string(createdAt.wire)]
        members["friendly_name"] = friendlyName.map(AuthJSON.string)
        members["last_used_at"] = lastUsedAt.map { .string($0.wire) }
        members["set_aside_at"] = setAsideAt.map { .string($0.wire) }
        return .object(members)
    }
}

extension AuthEnrolledFactor {
    var json: AuthJSON {
        var members: AuthJSONObject = ["id": .string(id.wire), "type": .string(type.rawValue)]
        members["friendly_name"] = friendlyName.map(AuthJSON.string)
        members["phone"] = phone.map(AuthJSON.string)
        members["totp"] = totp.map {
            ["qr_code": .string($0.qrCode), "secret": .string($0.secret), "uri": .string($0.uri)]
        }
        return .object(members)
    }
}

extension AuthRecoveryCodes {
    var json: AuthJSON {
        var members: AuthJSONObject = ["id": .string(id.wire), "codes": .array(codes.map(AuthJSON.string))]
        members["friendly_name"] = friendlyName.map(AuthJSON.string)
        return .object(members)
    }
}

extension AuthRecoveryCodesStatus {
    var json: AuthJSON {
        ["id": .string(id.wire), "total": .integer(Int64(total)), "remaining": .integer(Int64(remaining))]
    }
}

extension SessionInfo {
    fileprivate var child: (parent: String, kind: String, name: String)? {
        guard let parentID, let kind else { return nil }
        return (parentID.wire, kind.rawValue, name ?? "")
    }
}
