import AccountDomain
package import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

extension AdminHandlers {
    @Sendable func invite(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (mail, mailer) = try mailAdmission.requireMail(or: .unprocessableContent)
        let body = try await request.jsonMembers(context)
        let email = try EmailAddress(checking: try body.string("email") ?? "")
        // A repeated invitation changes the account's data and sets its password aside.
        if context.operatorRights < .manage, try await accounts.signIns.account(email: email) != nil {
            throw Refusal.emailTaken
        }
        let device = try callers.device(request, context)
        var order = LinkOrder(.invite, email, try adminMailRequest(body, request, mail, .invite), from: device)
        order.data = try body.object("data") ?? [:]
        try server.signIns.checkSize(of: order.data)
        let outcome = try await server.creating(from: device) { [order] in
            try await $0.mails.invite(order, at: runtime.now())
        }
        if case .metadataTooLong = outcome { throw server.signIns.metadataTooLong }
        guard case .done(let account, _, _) = outcome else { throw Refusal.emailTaken }
        mailer.ring(.invitations)
        return Answer.json { $0.user(account) }
    }

    /// `POST /admin/users/{user_id}/recover`: mails a code and a link to set a new password. 429
    /// `over_email_send_rate_limit` if the code would expire before the mail is due.
    @Sendable func mailUserRecovery(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (mail, mailer) = try mailAdmission.requireMail(or: .unprocessableContent)
        let account = try await namedAccount(context)
        // The request's language is the administrator's.
        var asked = MailRequest(
            redirectTo: settings.recoveryPage ?? settings.redirects.siteURL, lifetime: mail.codeLifetime)
        asked.isByAdmin = true
        if account.user.email != nil {
            try mailAdmission.requireRoom(in: [account.user.times.emailConfirmedAt == nil ? .others : .confirmed])
        }
        let isMailed = try await accounts.mails.mailRecovery(
            of: account.user.id, asked, byAdministratorOn: try callers.device(request, context), at: runtime.now())
        guard isMailed else { throw Refusal.invalid("The user has no email address") }
        mailer.ring(.codes)
        return Answer.empty(.noContent)
    }

    /// `POST /admin/generate_link`. Sends no mail.
    @Sendable func generateLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard let mail = settings.mail else {
            throw Refusal(.unprocessableContent, .emailProviderDisabled, "This server sends no mail")
        }
        let body = try await request.jsonMembers(context)
        let email = try await linkedAddress(body, context)
        let type = try body.string("type") ?? ""
        let kinds: [MailKind] = [.signUp, .invite, .magicLink, .recovery, .emailChangeCurrent, .emailChangeNew]
        guard let kind = kinds.first(where: { $0.rawValue == type }) else {
            throw Refusal.invalid("Invalid email action link type requested: \(type.cut(to: 64))")
        }
        guard kind != .emailChangeCurrent || mail.confirmsBothAddresses else {
            throw Refusal.invalid("Enable secure email change to generate link for current email")
        }
        let device = try callers.device(request, context)
        var order = LinkOrder(kind, email, try adminMailRequest(body, request, mail, kind), from: device)
        order.data = try body.object("data") ?? [:]
        try server.signIns.checkSize(of: order.data)
        // Report an unknown account before a missing address.
        order.newEmail = try (body.string("new_email")).flatMap { $0.isEmpty ? nil : try EmailAddress(checking: $0) }
        if kind == .signUp {
            guard let password = try body.secret("password"), !password.isEmpty else {
                throw Refusal.invalid("Signup requires a valid password")
            }
            try await server.signIns.checkStrength(of: password, email: email.text)
            order.passwordHash = try await server.signIns.hashed(password, for: .none)
        }
        let make = { [order] (accounts: Accounts) in try await accounts.mails.makeLink(order, at: runtime.now()) }
        switch try await server.creating(from: device, make) {
        case .emailTaken:
            throw order.newEmail == nil && kind.slot != .confirmation
                ? Refusal.invalid("A new email address is required") : Refusal.emailTaken
        case .unknownUser: throw Refusal(.notFound, .userNotFound, "User with this email not found")
        case .metadataTooLong: throw server.signIns.metadataTooLong
        case .done(let account, let minted, let made): return answer(account, minted, made, order.request.redirectTo)
        }
    }

    private func linkedAddress(_ body: JSONMembers, _ context: ServerContext) async throws -> EmailAddress {
        guard let text = try body.string("email"), !text.isEmpty else {
            throw Refusal.invalid("An email address is required")
        }
        let email = try EmailAddress(checking: text)
        try await requireOwner(toChange: email, context)
        return email
    }

    private func adminMailRequest(
        _ body: JSONMembers, _ request: Request, _ mail: MailRules, _ kind: MailKind
    ) throws -> MailRequest {
        let asked = mailAdmission.redirectTarget(request, or: try body.string("redirect_to"))
        if kind == .invite { return settings.invitation(mail, to: asked) }
        var made = MailRequest(redirectTo: asked, lifetime: mail.codeLifetime)
        made.isByAdmin = true
        return made
    }

    private func answer(
        _ account: Account, _ minted: MintedToken, _ kind: MailKind, _ redirectTo: String
    ) -> Response {
        let link = server.mailDelivery.mailedLink(minted.link, type: kind.linkType ?? "", redirectTo: redirectTo)
        return Answer.json { writer in
            writer.user(account) { writer in
                writer.member("action_link", link)
                writer.member("email_otp", minted.code.reveal())
                writer.member("hashed_token", minted.link.reveal())
                writer.member("verification_type", kind.rawValue)
                writer.member("redirect_to", redirectTo)
            }
        }
    }
}

extension AuthSettings {
    /// - Parameter target: nil for the site. A new user has no session there, so the account page replaces it.
    package func invitation(_ mail: MailRules, to target: String? = nil) -> MailRequest {
        let target = target ?? redirects.siteURL
        var made = MailRequest(
            redirectTo: target == redirects.siteURL ? invitationPage ?? target : target,
            lifetime: mail.invitationLifetime)
        made.isByAdmin = true
        return made
    }
}
