package import Gatehouse
import GatehouseModel
import GatehouseWire

/// Asks for the password of the account that already has the provider's address, and links the identity to it.
struct LinkByPassword: Sendable {
    let question: LinkQuestion
    let provider: WebProvider
    /// The ticket allows more attempts than a user should need.
    private static let tries = 3

    /// - Throws: ``ClientFailure``. The previous session stays active.
    func ask(_ client: Client) async throws -> User {
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
                guard failure.code == AuthErrorCode.invalidCredentials.rawValue, left > 0 else { throw failure }
                client.note(failure.message)
            }
        }
    }
}

extension ClientFailure {
    /// The terminal cannot ask, or the account has no password.
    package init(_ question: LinkQuestion) {
        let ways = question.signInMethods.filter { $0 != "password" }
        let detail: String? =
            if question.signInMethods.contains("password") {
                "at a terminal, its password links the two"
            } else {
                ways.isEmpty ? nil : "that account is signed in to with \(ways.joined(separator: " or "))"
            }
        self.init(
            AuthErrorCode.identityNeedsConfirmation.rawValue,
            SignInMessage(.google, .emailInUse)?.text ?? AuthError.unknown(nil).message, detail: detail, exit: .refused)
    }
}
