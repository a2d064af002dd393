import ArgumentParser
import Gatehouse
import GatehouseModel
import GatehouseWire

enum PhoneArgument {
    static let help: ArgumentHelp = "The account's phone number with its country's code, such as +491701234567."

    static func number(_ text: String) throws -> String {
        guard let number = CallingCode.number(typed: text, region: nil) else {
            throw ValidationError("\(text.printable) is not a phone number with + and its country's code.")
        }
        return number
    }
}

extension Client {
    /// - Returns: nil if only a message was requested.
    func signInByText(_ number: String, _ code: CodeOptions) async throws -> AuthUser? {
        try code.requireWay()
        if !code.codeStdin {
            do {
                try await auth.signInWithOTP(phone: number)
            } catch {
                throw ClientFailure(text: error, at: target.text)
            }
            noteText(to: number)
            if code.sendOnly { return nil }
        }
        return try await redeem(code, ofPhone: number)
    }

    /// With the password from standard input.
    func signInByPhone(_ number: String, _ code: CodeOptions) async throws -> AuthUser {
        let password = try await password(fromInput: true)
        if code.codeStdin { return try await redeem(code, ofPhone: number, restoring: password) }
        do {
            return try await auth.signIn(phone: number, password: password.reveal()).user
        } catch {
            var failure = ClientFailure(error, .phone, at: target.text)
            switch failure.code {
            case AuthErrorCode.credentialSetAside.rawValue:
                failure.remedy = "Pass --password-stdin and --code-stdin, with the texted code on the second line."
            case AuthErrorCode.phoneNotConfirmed.rawValue:
                failure.remedy = "Sign in with a code: pass --phone without --password-stdin."
            default: break
            }
            throw failure
        }
    }

    /// Does not reveal whether the number has an account.
    private func noteText(to number: String) {
        note("If \(CallingCode.formatted(number)) can be used here, a code has been texted to it.")
        if let inbox = target.inbox { note("This `gatehouse dev` keeps its messages at \(inbox)") }
    }

    private func redeem(
        _ code: CodeOptions, ofPhone number: String, restoring password: Secret? = nil
    ) async throws -> AuthUser {
        try await redeem(code) { digits in
            do {
                guard let password else { return try await auth.verifyOTP(phone: number, token: digits, type: .sms) }
                return try await auth.verifyOTP(phone: number, token: digits, type: .sms, password: password.reveal())
            } catch {
                throw ClientFailure(text: error, at: target.text)
            }
        }
    }
}

extension ClientFailure {
    package init(text error: any Error, at server: String) {
        self.init(error, at: server)
        if error is ClientFailure { return }
        switch code {
        case AuthErrorCode.otpExpired.rawValue:
            (text, exit) = ("That code is wrong or has expired.", .notSignedIn)
            remedy = "The last three texted codes are valid; five wrong attempts void them."
        case AuthErrorCode.overSMSSendRateLimit.rawValue:
            text = "A message was sent a moment ago. Wait before you request another."
        case AuthErrorCode.phoneProviderDisabled.rawValue:
            text = "This server does not accept phone numbers."
        default: break
        }
    }
}
