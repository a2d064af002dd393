package import Gatehouse
import GatehouseModel
import GatehouseWire

/// Links to the account with the provider's address.
struct LinkByPassword: Sendable {
    let question: AuthLinkQuestion
    let provider: WebProvider
    let factor: FactorOptions
    /// The server's ticket allows more.
    private static let tries = 3

    /// - Throws: ``ClientFailure``. The previous session stays active.
    func ask(_ client: Client) async throws -> AuthUser {
        guard Terminal.canAsk, question.signInMethods.contains("password") else {
            throw ClientFailure(question)
        }
        let email = question.email.printable
        client.note("\(email) already has an account. Enter its password to link \(provider.title).")
        var left = Self.tries
        while true {
            let password = try await client.terminal.secret("Password of \(email): ")
            left -= 1
            do {
                return try await client.auth.confirmLink(
                    question.ticket, email: question.email, password: password.reveal()
                ).user
            } catch {
                let failure = ClientFailure(error, .email, at: client.target.text)
                if failure.code == AuthErrorCode.insufficientAAL.rawValue {
                    return try await link(with: password, client)
                }
                guard failure.code == AuthErrorCode.invalidCredentials.rawValue, left > 0 else { throw failure }
                client.note(failure.message)
            }
        }
    }

    /// The password alone does not suffice: the session must have the second factor.
    private func link(with password: Secret, _ client: Client) async throws -> AuthUser {
        let old = await client.auth.currentSession
        do {
            let user = try await client.auth.signIn(email: question.email, password: password.reveal()).user
            _ = try await client.complete(user, factor, replacing: old)
        } catch {
            throw ClientFailure(linking: error, provider.title, at: client.target.text)
        }
        do {
            return try await client.auth.confirmLink(question.ticket).user
        } catch {
            await client.giveUp(for: old)
            throw ClientFailure(error, provider.method, at: client.target.text)
        }
    }
}

extension ClientFailure {
    package init(linking error: any Error, _ provider: String, at server: String) {
        self.init(error, .email, at: server)
        guard code == AuthErrorCode.captchaFailed.rawValue else { return }
        text = "Linking an account with a second factor requires a captcha here, which the terminal cannot show."
        remedy =
            "If the server has account pages, sign in with \(provider) at \(server)/account and link the two there. Then "
            + "run this command again."
    }

    /// The terminal cannot ask, or the account has no password.
    package init(_ question: AuthLinkQuestion) {
        let ways = question.signInMethods.filter { $0 != "password" }
        let remedy: String? =
            if question.signInMethods.contains("password") {
                "At a terminal, you can link the two with its password."
            } else {
                ways.isEmpty ? nil : "Sign in to that account with \(ways.joined(separator: " or "))."
            }
        self.init(
            AuthErrorCode.identityNeedsConfirmation.rawValue,
            SignInMessage(.google, .emailInUse)?.text ?? AuthError.unknown(nil).message, remedy: remedy, exit: .refused)
    }
}
