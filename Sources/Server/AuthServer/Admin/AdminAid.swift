import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird

extension AdminHandlers {
    /// `DELETE /admin/users/{user_id}/identities/{identity_id}`: never the last sign-in method.
    @Sendable func removeUserIdentity(_ request: Request, _ context: ServerContext) async throws -> Response {
        let outcome = try await accounts.links.unlink(
            try server.identities.identityID(context), of: try userID(context),
            byAdministratorOn: try callers.device(request, context), at: runtime.now())
        if case .gone = outcome { throw Refusal.unknownUser }
        _ = try server.identities.account(outcome)
        return Answer.empty(.noContent)
    }

    /// `POST /admin/users/{user_id}/resend`: mails the confirmation again, or the invitation of an invited user.
    @Sendable func resendConfirmation(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (mail, mailer) = try mailAdmission.requireMail(or: .unprocessableContent)
        let user = try await namedAccount(context).user
        guard let email = user.email.flatMap({ EmailAddress($0) }), user.times.deletedAt == nil else {
            throw Refusal.invalid("The user has no email address")
        }
        guard user.times.emailConfirmedAt == nil else { throw Refusal.invalid("The email address is confirmed") }
        let device = try callers.device(request, context)
        try mailAdmission.requireRoom(in: [.others])
        if user.times.invitedAt != nil {
            let order = LinkOrder(.invite, email, settings.invitation(mail), from: device)
            guard case .done = try await accounts.mails.invite(order, at: runtime.now()) else {
                throw Refusal.emailTaken
            }
            mailer.ring(.invitations)
        } else {
            var asked = MailRequest(redirectTo: settings.redirects.siteURL, lifetime: mail.codeLifetime)
            asked.isByAdmin = true
            try await accounts.mails.askAgain(user, email, asked, byAdministratorOn: device, at: runtime.now())
            mailer.ring(.codes)
        }
        return Answer.empty(.noContent)
    }
}
