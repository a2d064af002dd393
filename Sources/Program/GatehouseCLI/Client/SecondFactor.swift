import ArgumentParser
import Foundation
import Gatehouse
import GatehouseWire

struct FactorOptions: ParsableArguments {
    @Flag(
        help: """
            Read the second-factor code (authenticator app, text message or recovery code) from the next line of standard input.
            """)
    var factorStdin = false
}

extension Client {
    /// The command ends after so many wrong codes.
    private static var factorTries: Int { 3 }

    /// On failure, ends the new session and restores `old`.
    ///
    /// - Returns: The fully signed-in user.
    func complete(_ user: AuthUser, _ options: FactorOptions, replacing old: AuthSession?) async throws -> AuthUser {
        let level = try await auth.mfa.getAuthenticatorAssuranceLevel()
        guard level.nextLevel == .aal2, level.currentLevel != .aal2 else { return user }
        // The session is already stored, so an interruption must end it.
        terminal.beforeInterruption {
            guard await ends(within: .seconds(2), SystemDefaults.clock(), { await giveUp(for: old) }) else {
                return note("The server does not respond. Run `gatehouse whoami` to see who is signed in.")
            }
        }
        defer { terminal.beforeInterruption(nil) }
        do {
            return try await raise(fromInput: options.factorStdin, of: user.factors ?? []).user
        } catch {
            await giveUp(for: old)
            throw error
        }
    }

    /// At a terminal, asks again after a wrong code.
    ///
    /// Without an authenticator app, texts a code to the first phone number.
    ///
    /// - Parameters:
    ///   - orRecoveryCode: Accepts a recovery code, which cannot confirm a new factor.
    ///   - texted: An earlier message.
    func raise(
        fromInput: Bool, of factors: [AuthFactor], orRecoveryCode: Bool = true, texted: TextedChallenge? = nil
    ) async throws -> AuthSession {
        guard fromInput || Terminal.canAsk else {
            throw ClientFailure(
                "second_factor_needed", "This account has a second factor.", remedy: "Pass --factor-stdin.",
                exit: .usage
            )
        }
        var texted = texted
        if texted == nil { texted = try await text(factors) }
        let source = texted == nil ? "authenticator app" : "text message"
        let question =
            !orRecoveryCode
            ? "Code from the \(source): " : "\(texted == nil ? "Authenticator" : "Texted") or recovery code: "
        var left = Self.factorTries
        while true {
            left -= 1
            do {
                let line =
                    try await fromInput
                    ? terminal.secretLine("code of the second factor").reveal()
                    : terminal.line(question)
                return try await raise(with: line, of: factors, orRecoveryCode: orRecoveryCode, texted)
            } catch let failure as ClientFailure {
                guard failure.code == AuthErrorCode.mfaVerificationFailed.rawValue, !fromInput, left > 0 else {
                    throw failure
                }
                note(failure.message)
            }
        }
    }

    private func raise(
        with line: String, of factors: [AuthFactor], orRecoveryCode: Bool, _ texted: TextedChallenge?
    ) async throws -> AuthSession {
        do {
            if let texted, let code = MailedCode(line) {
                return try await auth.mfa.verify(
                    params: FactorVerifyParams(factorId: texted.factor, challengeId: texted.id, code: code.digits))
            }
            let usable = factors.filter { $0.factorType == .totp }
            guard let code = MailedCode(line), code.digits.utf8.count == 6, !usable.isEmpty else {
                guard orRecoveryCode else { throw texted == nil ? ClientFailure.noAppCode : .noTextedCode }
                return try await auth.mfa.recoveryCodes.verify(code: line)
            }
            return try await raise(with: code, of: usable)
        } catch {
            throw ClientFailure(factor: error, at: target.text)
        }
    }

    /// - Returns: nil if an app's code is expected.
    private func text(_ factors: [AuthFactor]) async throws -> TextedChallenge? {
        let verified = factors.filter { $0.status == .verified }
        let usable = verified.isEmpty ? factors : verified
        guard !usable.contains(where: { $0.factorType == .totp }),
            let phone = usable.first(where: { $0.factorType == .phone })
        else { return nil }
        do {
            let challenge = try await auth.mfa.challenge(params: FactorChallengeParams(factorId: phone.id))
            note("A code has been texted to \(CallingCode.formatted(phone.phone ?? "the phone number").printable).")
            if let inbox = target.inbox { note("This `gatehouse dev` keeps its messages at \(inbox)") }
            return TextedChallenge(factor: phone.id, id: challenge.id)
        } catch {
            throw ClientFailure(factor: error, at: target.text)
        }
    }

    /// Tries each app, so the user need not name the code's.
    private func raise(with code: MailedCode, of apps: [AuthFactor]) async throws -> AuthSession {
        for app in apps.dropLast() {
            do {
                return try await auth.mfa.challengeAndVerify(
                    params: FactorChallengeAndVerifyParams(factorId: app.id, code: code.digits))
            } catch AuthClientError.refused(let refusal) where refusal.code == .mfaVerificationFailed {
                // Another app's code.
            }
        }
        return try await auth.mfa.challengeAndVerify(
            params: FactorChallengeAndVerifyParams(factorId: apps[apps.count - 1].id, code: code.digits))
    }

    /// Restores the previous session.
    func giveUp(for old: AuthSession?) async {
        // Ignored: without the second factor, a remaining session gives no access.
        _ = try? await auth.signOut(scope: .local)
        guard let old else { return }
        do {
            try await auth.setSession(accessToken: old.accessToken, refreshToken: old.refreshToken)
        } catch {
            note("The previous session could not be restored. Sign in again.")
        }
    }
}

struct TextedChallenge: Sendable {
    let factor: UUID
    let id: UUID
}

extension ClientFailure {
    static let noTextedCode = ClientFailure(
        AuthErrorCode.mfaVerificationFailed.rawValue, "A texted code has at least six digits.", exit: .notSignedIn)
    static let noAppCode = ClientFailure(
        AuthErrorCode.mfaVerificationFailed.rawValue, "An authenticator app's code has six digits.",
        exit: .notSignedIn)

    package init(factor error: any Error, at server: String) {
        self.init(error, at: server)
        if error is ClientFailure { return }
        switch code {
        case AuthErrorCode.mfaVerificationFailed.rawValue:
            (text, exit) = ("That code is wrong, expired or already used.", .notSignedIn)
        case AuthErrorCode.mfaRecoveryCodesLocked.rawValue:
            (text, exit) = ("Too many wrong recovery codes. Wait before you try again.", .notSignedIn)
        case AuthErrorCode.mfaFactorNotFound.rawValue:
            text = "The account has no such second factor. List them with `gatehouse mfa list`."
        case AuthErrorCode.insufficientAAL.rawValue:
            text = "This requires the second factor. Run `gatehouse mfa verify` first."
        case AuthErrorCode.mfaRecoveryCodesSoleFactor.rawValue:
            text = "Recovery codes cannot be the only second factor."
        case AuthErrorCode.tooManyEnrolledMFAFactors.rawValue:
            text = "The account has the maximum number of second factors. Remove one first."
        case AuthErrorCode.mfaVerifiedFactorExists.rawValue:
            text = "This phone number is already a second factor."
        case AuthErrorCode.overSMSSendRateLimit.rawValue:
            text = "A message was sent a moment ago. Wait before you request another."
        case AuthErrorCode.mfaPhoneEnrollNotEnabled.rawValue, AuthErrorCode.mfaPhoneVerifyNotEnabled.rawValue:
            text = "This server does not accept phone numbers as second factors."
        case AuthErrorCode.mfaFactorNameConflict.rawValue:
            text = "Another second factor has this name. Pass a different --name."
        default: break
        }
    }
}
