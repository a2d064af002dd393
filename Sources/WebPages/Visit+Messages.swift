import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension Visit {
    /// Has the user sign in, and come back to this page.
    mutating func toSignIn(_ flash: Flash?) -> Place {
        session.next = placeOfRequest
        session.flash = flash
        return .signIn
    }

    /// The page of the account that this request is for, to come back to.
    var placeOfRequest: Place? {
        Place.allCases.first { $0.path == request.uri.path && ($0.isAccount || $0 == .goOn) }
    }

    mutating func goToSignIn(_ flash: Flash?) -> Outcome {
        pages.site == .console ? goToConsoleSignIn(flash) : .go(toSignIn(flash))
    }

    /// What the user reads about a refusal.
    func message(for refusal: CallRefusal) -> String {
        if refusal.status == 429 {
            if refusal.code == .overEmailSendRateLimit {
                return say("An email was requested a moment ago. Please wait before you ask for another one.")
            }
            return refusal.wait > .seconds(60)
                ? say("Too many attempts. Please try again in %@.", language.span(refusal.wait))
                : say("Too many attempts. Please wait a moment and try again.")
        }
        switch refusal.code {
        case .invalidCredentials: return say("Incorrect email or password. Please try again.")
        case .weakPassword: return weakPassword(refusal.weakPasswordReasons)
        case .samePassword: return say("Please choose a password that is not the current one.")
        case .currentPasswordRequired: return say("Please enter your current password.")
        case .currentPasswordInvalid: return say("The current password is not correct.")
        case .emailExists, .userAlreadyExists: return say("This email is already associated with another account.")
        case .signupDisabled: return say("New accounts cannot be created here.")
        case .userBanned: return say("This account is blocked. Please contact the support of this app.")
        case .otpExpired, .reauthenticationNotValid: return say("The code is not correct, or too old.")
        case .captchaFailed: return say("Please confirm that you are a person, then try again.")
        case .emailProviderDisabled: return say("Email is not available here.")
        case .singleIdentityNotDeletable: return say("This is the last way to sign in. Please add another one first.")
        case .identityAlreadyExists: return say("This email is already associated with another account.")
        case .linkNotUndoable: return say("This can no longer be undone.")
        case .linkTicketNotFound, .linkTicketOutdated, .flowStateNotFound, .flowStateExpired:
            return say("That took too long. Please sign in again.")
        case .linkTicketOtherAccount:
            return say("That account has another email. Please sign in to the one with this email.")
        case .emailNotConfirmed: return say("Please confirm your email first.")
        case .validationFailed where fields["email"] != nil: return say("Please enter a valid email address.")
        case .validationFailed where fields.parameters.contains { $0.name == "code" } && fields["password"] == nil:
            return say("The code is not correct, or too old.")
        default: return securityMessage(refusal.code) ?? say("Something went wrong. Please try again.")
        }
    }

    /// Of passkeys and second factors; nil for another code.
    private func securityMessage(_ code: AuthErrorCode) -> String? {
        switch code {
        case .webauthnChallengeNotFound, .webauthnChallengeExpired, .webauthnVerificationFailed:
            say("The passkey did not work. Please try again.")
        case .webauthnCredentialExists: say("This device already has a passkey for your account.")
        case .tooManyPasskeys: say("You have as many passkeys as you can. Remove one to add another.")
        case .mfaVerificationFailed, .mfaChallengeExpired, .mfaIPAddressMismatch:
            say("The code is not correct, or too old.")
        case .tooManyEnrolledMFAFactors:
            say("You have as many second factors as you can. Remove one to add another.")
        case .mfaVerifiedFactorExists:
            say("You have recovery codes already. If you have not seen them, make new ones.")
        case .mfaRecoveryCodesSoleFactor: say("Remove the recovery codes first.")
        case .mfaTOTPEnrollNotEnabled, .mfaRecoveryCodesEnrollNotEnabled, .mfaTOTPVerifyNotEnabled,
            .mfaRecoveryCodesVerifyNotEnabled, .passkeyDisabled:
            say("This is not available here.")
        default: nil
        }
    }

    private func weakPassword(_ reasons: [String]) -> String {
        if reasons.contains("length") {
            return say("Password must be at least %@ characters.", fields["minimum"]?.shown ?? "8")
        }
        return reasons.contains("characters")
            ? say("Please use more kinds of characters: small and capital letters, digits, symbols.")
            : say("This password is too easy to guess. Please choose another one.")
    }

    func notice(_ flash: Flash) -> Notice {
        switch flash {
        case .signedOut: .done(say("You are signed out."))
        case .passwordSaved: .done(say("Your password has been saved."))
        case .profileSaved: .done(say("Your changes have been saved."))
        case .deviceEnded: .done(say("The device is signed out."))
        case .othersEnded: .done(say("All other devices are signed out."))
        case .methodAdded: .done(say("The sign-in method has been added."))
        case .methodRemoved: .done(say("The sign-in method has been removed."))
        case .linkUndone: .done(say("The sign-in method has been removed."))
        case .mailSent: .done(say("The email is on its way."))
        case .emailChanged: .done(say("Your email has been changed."))
        case .confirmOther: .done(say("Now confirm your other email."))
        case .passkeyAdded: .done(say("The passkey has been added."))
        case .passkeyRemoved: .done(say("The passkey has been removed."))
        case .changesSaved: .done(say("Your changes have been saved."))
        case .appAdded: .done(say("The authenticator app has been added."))
        case .factorRemoved: .done(say("The authenticator app has been removed."))
        case .keyAdded: .done(say("The security key has been added."))
        case .keyRemoved: .done(say("The security key has been removed."))
        case .recoveryCodesRemoved: .done(say("The recovery codes have been removed."))
        case .confirmFirst: .problem(say("Please confirm that it is you, then repeat this."))
        case .linkNeedsFactor:
            .problem(say("This account has a second factor. Sign in to it to link the two."))
        case .accountDeleted: .done(say("Your account has been deleted."))
        case .signInAgain: .problem(say("Please sign in again, then repeat this."))
        case .sessionOver: .problem(say("Session expired. Please sign in again."))
        case .tookTooLong: .problem(say("That took too long. Please sign in again."))
        case .providerFailed: .problem(say("Sign in failed. Please try again."))
        case .linkFailed: .problem(say("The link could not be opened."))
        }
    }

    var oldFormPage: Page {
        problemPage(say("This form is too old. Please try again."), status: .forbidden)
    }

    func problemPage(_ text: String, status: HTTPResponse.Status) -> Page {
        let place = Place.allCases.first { $0.path == request.uri.path } ?? .home
        let address = pages.site == .console ? consoleRetryPath : place.path
        var page = Page(text, [.buttons([Link(title: say("Try Again"), address: address)])])
        page.status = status
        return page
    }
}

extension CallRefusal {
    var needsFreshSignIn: Bool {
        code == .freshSignInRequired || code.rawValue == "FRESH_SIGN_IN_REQUIRED"
    }

    /// Whether the user has to prove their identity first: again, or with the second factor.
    var needsProof: Bool { needsFreshSignIn || code == .insufficientAAL || code.rawValue == "INSUFFICIENT_AAL" }
}

extension Place {
    /// Whether the page is for users who are signed in.
    var isAccount: Bool {
        switch self {
        case .home, .newPassword, .security, .passkeys, .passkey, .authenticator, .securityKeys, .recoveryCodes, .email,
            .devices, .methods, .profile, .data, .delete:
            true
        case .signIn, .signInCode, .passkeySignIn, .secondStep, .signUp, .checkMail, .forgotPassword, .recover,
            .linkQuestion, .goOn, .callback:
            false
        }
    }
}
