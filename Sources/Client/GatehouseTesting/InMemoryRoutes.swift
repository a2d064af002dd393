import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire

extension InMemoryRoutes {
    /// - Parameter call: nil for a part of a call.
    mutating func reply(to request: InMemoryRequest, _ call: Call?, _ fault: Fault?, at now: Date) -> HTTPReply {
        do throws(AuthClientError) {
            server.presented = try request.proof?.get()
            server.endOrphans()
            try server.refuseChild(request)
            if request.isGateway { return try gatewayReply(request, call, fault) }
            if call == .verifyCode { return try verified(request, at: now) }
            if let call, let opened = try session(request, call, fault, at: now) { return .session(opened.session) }
            if let call, try mail(request, call, at: now) { return .empty }
            return try data(request, call, at: now)
        } catch {
            guard case .refused(let refusal) = error else { return HTTPReply(status: 500) }
            return HTTPReply(refusal, byGateway: request.isGateway)
        }
    }

    /// - Throws: `user_not_found`, `session_not_found`, or a fault's code.
    private func caller(_ request: InMemoryRequest) throws(AuthClientError) -> Caller {
        guard let caller = server.callers[request.bearer] else { throw Fault.refused(401, .noAuthorization) }
        guard server.sessions[caller.id] != nil, account(caller.user) != nil else {
            let code = account(caller.user) == nil ? AuthErrorCode.userNotFound : .sessionNotFound
            throw Fault.refused(403, server.endCodes[caller.id] ?? code, sessionEnd: server.ends[caller.id])
        }
        try server.requireKey(of: caller, request)
        return caller
    }

    private mutating func session(
        _ request: InMemoryRequest, _ call: Call, _ fault: Fault?, at now: Date
    ) throws(AuthClientError) -> Opened? {
        switch call {
        case .signIn, .signInAgain, .signInWithPasskey:
            guard let challenge = UUID(uuidString: request.text("challenge_id")) else {
                if let phone = request.body["phone"]?.stringValue {
                    return try server.phones.signIn(phone: phone, request.text("password"), at: now)
                }
                return try server.signIn(request.text("email"), request.text("password"), at: now)
            }
            return try server.passkeys.signIn(challenge, request.body["credential"] ?? .null, at: now)
        case .signInWithProvider: return try server.linking.signIn(try token(request, fault), at: now)
        case .link: return try server.linking.link(try token(request, fault), to: try caller(request), at: now)
        case .finishInBrowser, .openMailLink: return try exchange(request, at: now)
        case .confirmLink: return try confirm(request, at: now)
        case .recoverAccount: return try server.linking.recover(AuthLinkTicket(request.text("link_ticket")), at: now)
        case .refresh:
            try server.take(request.text("refresh_token"))
            return try server.refreshWithKey(server.refreshes[request.text("refresh_token")] ?? 0, at: now)
        case .startOver: return try server.proving.startOver(try caller(request), at: now)
        case .verifyRecoveryCode:
            return try server.factors.verify(try caller(request), recoveryCode: request.text("code"), at: now)
        case .verifyFactor: return try server.factors.verify(try caller(request), request, at: now)
        default: return nil
        }
    }

    private func token(_ request: InMemoryRequest, _ fault: Fault?) throws(AuthClientError) -> ScriptedToken {
        var token = try InMemoryServer.token(
            of: IDTokenCredentials(
                provider: AuthProvider(rawValue: request.text("provider")), idToken: request.text("id_token"),
                nonce: request.body["nonce"]?.stringValue))
        if fault != .nameIgnored { token.name = request.body["user"].flatMap(AppleName.init(json:)) }
        return token
    }

    /// Requires the flow's verifier.
    private mutating func exchange(_ request: InMemoryRequest, at now: Date) throws(AuthClientError) -> Opened {
        let flow = PendingFlow(verifier: request.text("code_verifier"), kind: .signIn)
        let (code, challenge) = (request.text("auth_code"), flow.challenge)
        if let flow = ScriptedFlow.read(code: code) {
            guard flow.id == challenge else { throw Fault.refused(400, .badCodeVerifier) }
            if let caller = server.linkFlows.removeValue(forKey: challenge) {
                return try server.linking.link(flow.token, to: caller, at: now)
            }
            return try server.linking.signIn(flow.token, at: now)
        }
        guard let mail = InMemoryAuthService.Mail(code: code), let link = server.mailLinks[mail] else {
            throw Fault.unknownFlow
        }
        guard link.challenge == challenge else { throw Fault.refused(400, .badCodeVerifier) }
        // Only this device can open the link, so it requested the newest email.
        let prover = Prover(session: link.session, isClient: true)
        // The first of an email change's two links.
        guard let opened = try server.proving.follow(mail.kind, mail.email, by: prover, at: now) else {
            throw Fault.unknownFlow
        }
        return opened
    }

    private mutating func confirm(_ request: InMemoryRequest, at now: Date) throws(AuthClientError) -> Opened {
        let ticket = AuthLinkTicket(request.text("link_ticket"))
        if let password = request.body["password"]?.stringValue {
            return try server.linking.confirm(ticket, request.text("email"), password, at: now)
        }
        if let code = request.body["token"]?.stringValue {
            return try server.proving.confirm(ticket, code: code, at: now)
        }
        let caller = try caller(request)
        try server.factors.requireLevel(caller.id)
        return try server.linking.confirm(ticket, for: caller.user, at: now)
    }

    private mutating func verified(_ request: InMemoryRequest, at now: Date) throws(AuthClientError) -> HTTPReply {
        let prover = Prover(
            session: server.callers[request.bearer]?.id, password: request.body["password"]?.stringValue)
        let code = request.text("token")
        let opened: Opened?
        if let text = request.body["set_aside_ticket"]?.stringValue {
            guard let ticket = server.setAsideTickets.keys.first(where: { $0.text == text }) else {
                throw Fault.wrongCode
            }
            opened = try server.proving.verify(code, restoring: ticket, by: prover, at: now)
        } else if let phone = request.body["phone"]?.stringValue {
            let slots: Set<MailedCode.Slot> =
                request.text("type") == PhoneCodeType.phoneChange.rawValue ? [.newPhone] : [.text, .textConfirmation]
            opened = try server.proving.verify(
                code, sentTo: try InMemoryPhones.digits(phone), in: slots, by: prover, at: now)
        } else {
            let purpose = EmailCodeType(rawValue: request.text("type")) ?? .email
            opened = try server.proving.verify(code, sentTo: request.text("email"), for: purpose, by: prover, at: now)
        }
        guard let opened else { return .json(["msg": "The other address must be confirmed too."]) }
        return .session(opened.session)
    }

    /// - Returns: false for calls that send neither email nor text message.
    private mutating func mail(
        _ request: InMemoryRequest, _ call: Call, at now: Date
    ) throws(AuthClientError) -> Bool {
        let email = request.text("email")
        switch call {
        case .sendPasswordMail:
            server.mailing.mailRecovery(to: email, at: now)
            keepChallenge(of: request, for: .recovery, email)
        case .resendConfirmation:
            server.mailing.mailConfirmation(to: email, at: now)
            keepChallenge(of: request, for: .confirmation, email)
        case .sendSignInMail:
            server.mailing.mailSignIn(to: email, at: now)
            keepChallenge(of: request, for: .signIn, email)
        case .resendEmailChange:
            guard let account = account(email: email) else { return true }
            server.mailing.mailEmailChange(of: account.user, at: now)
            keepChallenge(of: request, for: .emailChange, account.user.email, account.user.newEmail)
        case .sendText: try server.phones.text(request, at: now)
        case .sendLinkCode: try server.mailing.mailLinkCode(AuthLinkTicket(request.text("link_ticket")), at: now)
        case .reauthenticate: _ = try caller(request)
        default: return false
        }
        return true
    }

    private mutating func keepChallenge(
        of request: InMemoryRequest, for kind: InMemoryAuthService.Mail.Kind, _ addresses: String?...
    ) {
        guard let challenge = request.body["code_challenge"]?.stringValue else { return }
        for case let email? in addresses {
            server.mailLinks[InMemoryAuthService.Mail(kind: kind, email: email.lowercased())] = MailLink(
                challenge: challenge, session: server.callers[request.bearer]?.id)
        }
    }
}

extension InMemoryRoutes {
    private mutating func data(
        _ request: InMemoryRequest, _ call: Call?, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        switch call {
        case .settings: return .json(settings.json)
        case .signUp where request.path.contains("passkeys"):
            let opened = try server.passkeys.signUpWithPasskey(request, at: now)
            keepChallenge(of: request, for: .emailChange, opened.session.user.newEmail)
            return .session(opened.session)
        case .signUp where !request.text("phone").isEmpty:
            let (opened, user) = try server.phones.signUpByPhone(request, at: now)
            return opened.map { HTTPReply.session($0.session) } ?? .user(user)
        case .signUp where request.text("email").isEmpty && request.text("password").isEmpty:
            return .session(try server.signInAnonymously(at: now).session)
        case .signUp:
            let (opened, user) = try server.signUp(
                request.text("email"), request.text("password"),
                request.body["data"]?["first_name"]?.stringValue, at: now)
            keepChallenge(of: request, for: .confirmation, user.email)
            return opened.map { HTTPReply.session($0.session) } ?? .user(user)
        case .passkeyOptions where request.path.contains("authentication"):
            return .json(try server.passkeys.authenticationOptions(at: now))
        case .passkeyOptions where request.path.contains("signup"):
            return .json(try server.passkeys.signUpOptions(request, at: now))
        default: return try data(request, call, of: try caller(request), at: now)
        }
    }

    private mutating func data(
        _ request: InMemoryRequest, _ call: Call?, of caller: Caller, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        switch call {
        case .user: return userReply(caller.user)
        case .updateUser, .updateMetadata:
            try server.update(caller, request, at: now)
            let user = account(caller.user)?.user
            keepChallenge(of: request, for: .emailChange, user?.email, user?.newEmail)
            return userReply(caller.user)
        case .undoLink:
            try server.linking.undo(request.id, by: caller, at: now)
            return userReply(caller.user)
        case .unlink: try server.linking.unlink(request.id, by: caller)
        case .undoableLinks: return .undoableLinks(server.linking.undoableLinks(of: caller.user, at: now))
        case .startLinkInBrowser:
            server.linkFlows[request.query["code_challenge"] ?? ""] = caller
            let flow = ScriptedFlow(request.query)
            return .json(["url": .string(flow?.address?.absoluteString ?? "")])
        case .authorization, .decideAuthorization, .releaseAuthorization, .pendingAuthorizations, .grants, .revokeGrant:
            return try server.oauth.oauth(request, call, of: caller, at: now)
        case .sessions: return .sessions(server.sessionList(of: caller))
        case .makeChildSession: return .session(try server.openChild(of: caller, request, at: now).session)
        case .revokeSession: try server.revoke(request.id, by: caller)
        default: return try passkeys(request, call, of: caller, at: now)
        }
        return .empty
    }

    private mutating func passkeys(
        _ request: InMemoryRequest, _ call: Call?, of caller: Caller, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        switch call {
        case .passkeyOptions: return .json(try server.passkeys.registrationOptions(caller, at: now))
        case .registerPasskey:
            let challenge = UUID(uuidString: request.text("challenge_id"))
            return .json(
                try server.passkeys.register(caller, challenge, request.body["credential"] ?? .null, at: now).json)
        case .passkeys: return .json(.array(try server.passkeys.passkeys(of: caller.user).map(\.json)))
        case .changePasskey where request.method == "DELETE":
            try server.factors.requireLevel(caller.id)
            try server.passkeys.changePasskey(request.id, of: caller.user) { _ in nil }
        case .changePasskey:
            let name = request.text("friendly_name")
            return .json(
                try server.passkeys.changePasskey(request.id, of: caller.user) { known in
                    var renamed = known
                    renamed.friendlyName = name
                    return renamed
                }.json)
        default: return try factors(request, call, of: caller, at: now)
        }
        return .empty
    }

    private mutating func factors(
        _ request: InMemoryRequest, _ call: Call?, of caller: Caller, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        switch call {
        case .enrollFactor where request.text("factor_type") == AuthFactorType.phone.rawValue:
            return .json(try server.factors.enrollPhone(caller, request, at: now).json)
        case .sendFactorCode: return .json(try server.factors.challenge(caller, phone: request.id, at: now))
        case .enrollFactor:
            return .json(
                try server.factors.enroll(caller, name: request.body["friendly_name"]?.stringValue, at: now).json)
        case .removeFactor:
            guard let id = request.id else {
                return .json(["id": .string(try server.factors.deleteCodes(caller).wire)])
            }
            try server.factors.removeFactor(caller, id)
            return .json(["id": .string(id.wire)])
        case .recoveryCodes:
            guard let status = server.factors.codesStatus(of: caller.user) else {
                throw Fault.refused(404, .mfaFactorNotFound)
            }
            return .json(status.json)
        case .makeRecoveryCodes:
            let replaces = request.path.last == "regenerate"
            return .json(try server.factors.makeCodes(caller, replacing: replaces, at: now).json)
        default: return try part(request, of: caller, at: now)
        }
    }

    private mutating func part(
        _ request: InMemoryRequest, of caller: Caller, at now: Date
    ) throws(AuthClientError) -> HTTPReply {
        switch request.path.last {
        case "challenge":
            return .json([
                "id": .string(request.id?.wire ?? ""), "type": "totp",
                "expires_at": .double(now.timeIntervalSince1970 + 300),
            ])
        case "logout":
            server.sessions[caller.id] = nil
            return HTTPReply(status: 204)
        default: throw Fault.refused(404)
        }
    }

    private func userReply(_ id: UUID) -> HTTPReply { account(id).map { HTTPReply.user($0.user) } ?? .empty }
}
