import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import IdentityProviders

extension Refusal {
    init(_ refusal: LinkingRefusal, provider: String) {
        switch refusal {
        case .banned: self.init(.forbidden, .userBanned, "User is banned")
        case .signUpDisabled:
            self.init(.unprocessableContent, .signupDisabled, "Signups not allowed for this instance")
        case .emailMissing:
            self.init(
                .internalServerError, .unexpectedFailure, "Error getting user email from external provider")
        case .emailUnverified:
            self.init(
                .unprocessableContent, .providerEmailNeedsVerification,
                "Unverified email with \(provider). Verify the email with \(provider) in order to sign in")
        case .alreadyLinked:
            self.init(.unprocessableContent, .identityAlreadyExists, "Identity is already linked")
        case .taken:
            self.init(.unprocessableContent, .identityAlreadyExists, "Identity is already linked to another user")
        case .emailTaken:
            self.init(
                .badRequest, .emailExists, "A user with this email address has already been registered")
        case .otherAccount:
            self.init(
                .forbidden, .linkTicketOtherAccount, "Sign in to the account that has the address, then link")
        case .outdated:
            self.init(.conflict, .linkTicketOutdated, "The account has changed meanwhile: sign in again")
        case .notRecoverable:
            self.init(
                .unprocessableContent, .linkNotRecoverable,
                "The address belongs to another account, whose owner has confirmed it: sign in to that account to link")
        case .notSignedIn:
            self.init(.forbidden, .sessionNotFound, "The session that asked for the link has ended")
        case .ticketUnknown:
            self.init(
                .notFound, .linkTicketNotFound, "The link ticket is used, expired or unknown")
        }
    }

    init(_ question: LinkQuestion) {
        self.init(
            .unprocessableContent, .identityNeedsConfirmation,
            "An account with this address exists: prove that it is yours to link it")
        details = AuthLinkQuestion.members(
            ticket: question.ticket.reveal(), expiresAt: question.expiresAt.seconds, email: question.email.text,
            provider: question.provider, signInMethods: question.methods, canRecover: question.canRecover,
            canMailCode: question.canMailCode, canUsePasskey: question.canUsePasskey)
    }

    /// The cause appears only in the log.
    init(_ failure: ProviderFailure) {
        switch failure {
        case .rejected(let rejection): self = .oauth(rejection.error, rejection.summary, cause: failure)
        case .unavailable:
            self.init(
                .serviceUnavailable, .unexpectedFailure, "The provider cannot be reached right now, please try again",
                headers: [.retryAfter: "5"], cause: failure)
        case .refused, .notOffered:
            self.init(
                .internalServerError, .unexpectedFailure, "The provider refused this server's request",
                cause: failure)
        }
    }
}
