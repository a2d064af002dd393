import GatehouseWire
import HTTPServing
import MailTemplates

// Messages name the cause, then the remedy.
extension Visit {
    func both(_ cause: String, _ remedy: String) -> String {
        language == .japanese || language == .chinese ? cause + remedy : "\(cause) \(remedy)"
    }

    func message(for refusal: CallRefusal) -> String {
        if refusal.status == 429 {
            if refusal.code == .overEmailSendRateLimit {
                return say("We just sent you an email. Please wait before requesting another.")
            }
            if refusal.code == .overSMSSendRateLimit {
                return refusal.wait > .zero
                    ? say("Another message can be sent in %@.", language.span(refusal.wait))
                    : say("We just sent you a message. Please wait before requesting another.")
            }
            return refusal.wait > .seconds(60)
                ? say("Too many attempts. Please try again in %@.", language.span(refusal.wait))
                : say("Too many attempts. Please wait a moment and try again.")
        }
        return passwordMessage(refusal) ?? accountMessage(refusal.code) ?? codeMessage(refusal.code)
            ?? securityMessage(refusal.code) ?? say("Something went wrong. Please try again.")
    }

    private func passwordMessage(_ refusal: CallRefusal) -> String? {
        switch refusal.code {
        case .invalidCredentials where fields["phone"] != nil:
            say("Incorrect phone number or password. Please try again.")
        case .invalidCredentials: say("Incorrect email or password. Please try again.")
        case .credentialSetAside:
            pages.site == .console
                ? "This password is set aside. Sign in on the account pages and enter the emailed code to use it again."
                : say("Enter the code we emailed you to keep using this password.")
        case .weakPassword: weakPassword(refusal.weakPasswordReasons)
        case .samePassword:
            both(say("This is the current password."), say("Please choose a password that isn't the current one."))
        case .currentPasswordRequired:
            both(say("The current password is missing."), say("Please enter your current password."))
        case .currentPasswordInvalid: both(say("The current password isn't correct."), say("Please try again."))
        default: nil
        }
    }

    private func weakPassword(_ reasons: [String]) -> String {
        if reasons.contains("length") {
            return say("Password must be at least %@ characters.", fields["minimum"]?.shown ?? "8")
        }
        return reasons.contains("characters")
            ? both(
                say("This password is too simple."),
                say("Please mix uppercase and lowercase letters, numbers and symbols."))
            : say("This password is too easy to guess. Please choose another one.")
    }

    private func accountMessage(_ code: AuthErrorCode) -> String? {
        switch code {
        case .emailExists, .userAlreadyExists, .identityAlreadyExists: identityTaken
        case .signupDisabled: noSignUps
        case .userBanned: blocked
        case .emailProviderDisabled: both(say("Email isn't available here."), say("Please try another way."))
        case .singleIdentityNotDeletable: say("This is the last way to sign in. Please add another one first.")
        case .linkNotUndoable: both(say("This can no longer be undone."), say("Remove the sign-in method instead."))
        case .linkTicketNotFound, .linkTicketOutdated, .flowStateNotFound, .flowStateExpired:
            say("That took too long. Please sign in again.")
        case .linkTicketOtherAccount:
            say("That account has a different email. Please sign in to the account with this email.")
        case .phoneProviderDisabled:
            both(say("Phone numbers can't be used here."), say("Please try another way."))
        case .phoneNotConfirmed: say("Your phone number isn't confirmed yet. Enter the code we texted you.")
        case .emailNotConfirmed: both(say("Your email isn't confirmed yet."), say("Please confirm your email first."))
        default: nil
        }
    }

    var blocked: String { say("This account is blocked. Please contact the app's support.") }

    var identityTaken: String {
        both(
            say("This email is already associated with another account."),
            say("Sign in to that account, or use another email."))
    }

    var noSignUps: String {
        both(say("New accounts can't be created here."), say("Please sign in with an existing account."))
    }

    private func codeMessage(_ code: AuthErrorCode) -> String? {
        switch code {
        case .otpExpired, .reauthenticationNotValid, .mfaVerificationFailed, .mfaChallengeExpired,
            .mfaIPAddressMismatch:
            wrongCode
        case .captchaFailed:
            say("Complete the captcha, then try again.")
        case .validationFailed where fields["email"] != nil:
            both(say("This email address can't be used."), say("Please enter a valid email address."))
        case .validationFailed where fields.parameters.contains { $0.name == "code" } && fields["password"] == nil:
            wrongCode
        default: nil
        }
    }

    var wrongCode: String {
        both(say("The code is wrong or has expired."), say("Please check it, or request a new one."))
    }

    private func securityMessage(_ code: AuthErrorCode) -> String? {
        switch code {
        case .webauthnChallengeNotFound, .webauthnChallengeExpired, .webauthnVerificationFailed:
            say("The passkey didn't work. Please try again.")
        case .webauthnCredentialExists: passkeyExists
        case .tooManyPasskeys: say("You've reached the limit for passkeys. Remove one to add another.")
        case .tooManyEnrolledMFAFactors:
            say("You've reached the limit for second factors. Remove one to add another.")
        case .mfaVerifiedFactorExists:
            say("You already have recovery codes. If you didn't see them, create new ones.")
        case .mfaRecoveryCodesSoleFactor:
            both(
                say("Add an authenticator app or security key before creating recovery codes."),
                say("Remove the recovery codes first."))
        case .mfaTOTPEnrollNotEnabled, .mfaRecoveryCodesEnrollNotEnabled, .mfaTOTPVerifyNotEnabled,
            .mfaRecoveryCodesVerifyNotEnabled, .mfaPhoneEnrollNotEnabled, .mfaPhoneVerifyNotEnabled, .passkeyDisabled:
            both(say("This isn't available here."), say("Please try another way."))
        default: nil
        }
    }

    var passkeyExists: String {
        both(
            say("This device already has a passkey for your account."),
            say("Sign in with it, or use another device."))
    }
}
