import ArgumentParser
import Foundation
import Gatehouse
import GatehouseWire

struct MFACommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mfa", abstract: "Lists, adds, confirms and removes your account's second factors.",
        subcommands: [
            ListFactors.self, EnrollFactor.self, ChallengeFactor.self, VerifyFactor.self, RemoveFactor.self,
            RecoveryCodesCommand.self,
        ], defaultSubcommand: ListFactors.self)
}

struct ListFactors: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists second factors, and the level of this session.",
        discussion: "EXAMPLES:\n  gatehouse mfa\n  gatehouse mfa list --json")

    @OptionGroup(title: "Connection Options") var options: ClientOptions

    func perform(_ client: Client) async throws {
        let factors = try await client.auth.mfa.listFactors().all
        try client.answer(.factors(factors, level: await client.level()))
    }
}

struct EnrollFactor: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll", abstract: "Adds an authenticator app or a phone number.",
        discussion: """
            Prints the key to enter into the app. The app's code then confirms the factor: at a terminal, enter it when \
            asked; in scripts, pass it to `gatehouse mfa verify`. The confirmation signs out all other devices that \
            have not used a second factor. --phone adds a phone number, which gets a code at each sign-in; in \
            scripts, `gatehouse mfa challenge` texts the code.

            EXAMPLES:
              gatehouse mfa enroll --name "Ada's phone"
              gatehouse mfa enroll --phone +491701234567
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Option(help: "The factor's name, such as the phone's (default: Authenticator app, or none for a number).")
    var name: String?
    @Option(help: PhoneArgument.help, transform: PhoneArgument.number) var phone: String?

    func perform(_ client: Client) async throws {
        let made: AuthEnrolledFactor
        do {
            made = try await client.auth.mfa.enroll(
                params: phone.map { .phone(friendlyName: name, phone: $0) }
                    ?? .totp(friendlyName: name ?? "Authenticator app"))
        } catch {
            throw ClientFailure(factor: error, at: client.target.text)
        }
        if let phone {
            try client.answer(.enrolled(made, phone))
        } else {
            guard let totp = made.totp else { throw AuthClientError.unexpectedAnswer("factors: expected a key") }
            try client.answer(.enrolled(made, totp))
        }
        guard !client.isJSON, Terminal.canAsk else { return }
        let now = Date(timeIntervalSince1970: 0)
        let factor = AuthFactor(
            id: made.id, factorType: made.type, phone: made.phone, createdAt: now, updatedAt: now)
        _ = try await client.raise(fromInput: false, of: [factor], orRecoveryCode: false)
        try Output.line("The \(phone == nil ? "authenticator app" : "phone number") is now a second factor.")
        guard await client.lacksRecoveryCodes() else { return }
        try Output.line("Run `gatehouse mfa recovery-codes --new` next.")
    }
}

struct ChallengeFactor: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Texts a code to a phone number that is a second factor.",
        discussion: """
            Pass the code and the printed challenge to `gatehouse mfa verify`.

            EXAMPLES:
              gatehouse mfa challenge 9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11 --json
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Argument(
        help: ArgumentHelp("The factor's ID, from `gatehouse mfa list`.", valueName: "id"), transform: FactorOptions.id)
    var factor: UUID

    func perform(_ client: Client) async throws {
        let all = try await client.auth.mfa.listFactors().all
        guard all.contains(where: { $0.id == factor && $0.factorType == .phone }) else { throw ClientFailure.noFactor }
        do {
            let challenge = try await client.auth.mfa.challenge(params: FactorChallengeParams(factorId: factor))
            try client.answer(.challenged(factor, challenge))
        } catch {
            throw ClientFailure(factor: error, at: client.target.text)
        }
    }
}

struct VerifyFactor: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Confirms a new factor, or raises this session to aal2.",
        discussion: """
            Takes a code from an authenticator app or a text message, or a recovery code. Without --factor, any confirmed app's code is \
            accepted; if none is confirmed, the code confirms the newest.

            EXAMPLES:
              gatehouse mfa verify
              oathtool --totp --base32 "$KEY" | gatehouse mfa verify --factor-stdin
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @OptionGroup var input: FactorOptions
    @Option(
        help: ArgumentHelp("The factor's ID, from `gatehouse mfa list`.", valueName: "id"), transform: FactorOptions.id)
    var factor: UUID?
    @Option(
        help: ArgumentHelp("The texted code's challenge, from `gatehouse mfa challenge`.", valueName: "id"),
        transform: FactorOptions.id)
    var challenge: UUID?

    func validate() throws {
        if challenge != nil, factor == nil { throw ValidationError("--challenge requires --factor.") }
    }

    func perform(_ client: Client) async throws {
        let all = try await client.auth.mfa.listFactors().all
        let factors = try chosen(all)
        let session = try await client.raise(
            fromInput: input.factorStdin, of: factors,
            orRecoveryCode: factors.contains { $0.status == .verified },
            texted: challenge.flatMap { id in factors.first.map { TextedChallenge(factor: $0.id, id: id) } })
        try client.answer(.raised(session.user, server: client.target.text))
    }

    private func chosen(_ all: [AuthFactor]) throws(ClientFailure) -> [AuthFactor] {
        guard let factor else {
            let verified = all.filter { $0.status == .verified }
            if !verified.isEmpty { return verified }
            guard let newest = all.max(by: { $0.createdAt < $1.createdAt }) else { throw .withoutFactor }
            return [newest]
        }
        let found = all.filter { $0.id == factor }
        guard !found.isEmpty else { throw .noFactor }
        return found
    }
}

struct RemoveFactor: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes a second factor.",
        discussion: """
            Removing a confirmed factor requires a session with a second factor: run `gatehouse mfa verify` first.

            EXAMPLES:
              gatehouse mfa remove 9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Argument(
        help: ArgumentHelp("The factor's ID, from `gatehouse mfa list`.", valueName: "id"), transform: FactorOptions.id)
    var factor: UUID

    func perform(_ client: Client) async throws {
        do {
            let all = try await client.auth.mfa.listFactors().all
            guard let found = all.first(where: { $0.id == factor }) else { throw ClientFailure.noFactor }
            if found.factorType == .recoveryCode {
                try await client.auth.mfa.recoveryCodes.unenroll()
            } else {
                try await client.auth.mfa.unenroll(params: FactorUnenrollParams(factorId: factor))
            }
        } catch {
            throw ClientFailure(factor: error, at: client.target.text)
        }
        try client.answer(.removed(factor))
    }
}

struct RecoveryCodesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-codes", abstract: "Shows how many recovery codes are left, or creates new ones.",
        discussion: """
            New codes are printed once and replace the previous ones.

            EXAMPLES:
              gatehouse mfa recovery-codes
              gatehouse mfa recovery-codes --new
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Flag(help: "Create new codes and print them.") var new = false

    func perform(_ client: Client) async throws {
        let codes = client.auth.mfa.recoveryCodes
        do {
            let status = try await client.recoveryCodes()
            if status == nil, try await !client.auth.mfa.listFactors().all.contains(where: { $0.status == .verified }) {
                throw ClientFailure.withoutFactor
            }
            guard new else {
                guard let status else { throw ClientFailure.noRecoveryCodes }
                return try client.answer(.recoveryCodes(left: status.remaining, of: status.total))
            }
            let made = try await status == nil ? codes.generate() : codes.regenerate()
            try client.answer(.recoveryCodes(made.codes))
        } catch {
            throw ClientFailure(factor: error, at: client.target.text)
        }
    }
}

extension Client {
    /// The session's: `aal1` or `aal2`.
    func level() async throws -> String {
        try await auth.mfa.getAuthenticatorAssuranceLevel().currentLevel?.rawValue ?? "aal1"
    }

    /// false if the server does not say.
    func lacksRecoveryCodes() async -> Bool {
        do {
            return try await recoveryCodes() == nil
        } catch {
            // Ignored: the user may have codes, and new ones would replace them.
            return false
        }
    }

    /// nil without codes.
    func recoveryCodes() async throws -> AuthRecoveryCodesStatus? {
        do {
            return try await auth.mfa.recoveryCodes.status()
        } catch AuthClientError.refused(let refusal) where refusal.code == .mfaFactorNotFound {
            return nil
        }
    }
}

extension ClientFailure {
    static let noFactor = ClientFailure(
        AuthErrorCode.mfaFactorNotFound.rawValue, "The account has no such second factor.",
        remedy: "List them with `gatehouse mfa list`.", exit: .refused)
    static let withoutFactor = ClientFailure(
        AuthErrorCode.mfaFactorNotFound.rawValue, "The account has no second factor.",
        remedy: "Add an authenticator app with `gatehouse mfa enroll`.", exit: .refused)
    static let noRecoveryCodes = ClientFailure(
        AuthErrorCode.mfaFactorNotFound.rawValue, "The account has no recovery codes.",
        remedy: "Create some with `gatehouse mfa recovery-codes --new`.", exit: .refused)
}

extension FactorOptions {
    static func id(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else {
            throw ValidationError("\(text.printable) is not a factor ID. List them with `gatehouse mfa list`.")
        }
        return id
    }
}
