import ArgumentParser
import Gatehouse
import GatehouseModel
import GatehouseWire

struct CodeOptions: ParsableArguments {
    @Flag(
        help: """
            Read the last emailed or texted code from the first line of standard input, without sending a new one.
            """)
    var codeStdin = false
    @Flag(help: "Only send the code. Enter its code later with --code-stdin.") var sendOnly = false

    func validate() throws {
        if codeStdin, sendOnly { throw ValidationError("--code-stdin and --send-only cannot be combined.") }
    }

    /// - Throws: ``ClientFailure``. Nothing has been sent.
    func requireWay() throws(ClientFailure) {
        guard codeStdin || sendOnly || Terminal.canAsk else {
            throw .usage("Standard input is not a terminal. Pass --send-only, and later --code-stdin with the code.")
        }
    }
}

/// Six digits here, up to ten at other servers.
package struct MailedCode: Sendable {
    private static let lengths = 6...10
    package let digits: String

    /// Digits of any script, between spaces and hyphens.
    package init?(_ text: String) {
        let rest = text.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "-" }
        let values = rest.prefix(Self.lengths.upperBound + 1).map(\.properties.numericType)
        guard Self.lengths.contains(values.count), values.allSatisfy({ $0 == .decimal }) else { return nil }
        digits = rest.reduce(into: "") { $0 += String(Int($1.properties.numericValue ?? 0)) }
    }
}

extension Client {
    /// The server then requires a new email.
    private static var tries: Int { 5 }

    /// Does not reveal whether the address has an account.
    func noteMail(to email: String) {
        note("If \(email.printable) can be used here, a code has been emailed to it.")
        if let inbox = target.inbox { note("This `gatehouse dev` keeps its emails at \(inbox)") }
    }

    /// At a terminal, asks again after a wrong code.
    ///
    /// - Parameter password: Restored to the account with the code.
    /// - Throws: ``ClientFailure``. The previous session stays active.
    func redeem(
        _ options: CodeOptions, _ type: EmailCodeType, of email: String, restoring password: Secret? = nil
    ) async throws -> AuthUser {
        try await redeem(options) { code in
            do {
                guard let password else { return try await auth.verifyOTP(email: email, token: code, type: type) }
                return try await auth.verifyOTP(email: email, token: code, type: type, password: password.reveal())
            } catch {
                throw ClientFailure(mail: error, at: target.text)
            }
        }
    }

    /// As ``redeem(_:_:of:restoring:)``.
    func redeem(
        _ options: CodeOptions, with verify: (_ code: String) async throws -> SessionOrUser
    ) async throws -> AuthUser {
        guard options.codeStdin || Terminal.canAsk else {
            throw ClientFailure.usage("Standard input is not a terminal. Pass --code-stdin.")
        }
        var left = Self.tries
        while true {
            left -= 1
            do {
                let line = try await options.codeStdin ? terminal.secretLine("code").reveal() : terminal.line("Code: ")
                guard let code = MailedCode(line) else { throw ClientFailure.noCode }
                guard let user = try await verify(code.digits).session?.user else {
                    throw AuthClientError.unexpectedAnswer("verify: expected a session")
                }
                return user
            } catch let failure as ClientFailure {
                guard failure.isAboutCode, !options.codeStdin, left > 0 else { throw failure }
                note(failure.message)
            }
        }
    }

    func mail(to email: String, _ send: () async throws -> Void) async throws {
        do {
            try await send()
        } catch {
            throw ClientFailure(mail: error, at: target.text)
        }
        noteMail(to: email)
    }

    /// Ends the previous session even if the result cannot be printed.
    func tell(_ result: ClientAnswer, replacing old: AuthSession?) async throws {
        let told = Result { try answer(result) }
        noteStorage()
        await endReplaced(old)
        try told.get()
    }
}

extension ClientFailure {
    static let noCode = ClientFailure(
        "invalid_code", "That is not a code. Enter its digits.", exit: .usage)

    fileprivate var isAboutCode: Bool { [AuthErrorCode.otpExpired.rawValue, Self.noCode.code].contains(code) }

    package init(mail error: any Error, at server: String) {
        self.init(error, at: server)
        switch code {
        case AuthErrorCode.otpExpired.rawValue:
            text = "That code is wrong or has expired."
            remedy = "The last three emailed codes are valid; five wrong attempts void them."
            exit = .notSignedIn
        case AuthErrorCode.overEmailSendRateLimit.rawValue:
            text = "An email was sent a moment ago. Wait before you request another."
        case AuthErrorCode.emailProviderDisabled.rawValue:
            text = "This server does not send emails."
        case AuthErrorCode.otpDisabled.rawValue:
            text = "There is no account with this email. Create one with `gatehouse signup`."
        default: break
        }
    }
}
