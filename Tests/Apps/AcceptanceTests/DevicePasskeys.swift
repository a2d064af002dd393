import Gatehouse
import GatehouseWire
import SoftAuthenticator
import WebAuthn

/// A software authenticator whose user agrees to every sheet by default.
@MainActor final class DevicePasskeys: PasskeyAuthenticator {
    nonisolated static let origin = "https://app.example.org"

    private var device = SoftAuthenticator()
    /// Whether the user closes every sheet.
    var closesSheets = false
    /// Adds a passkey after filling in the password, without a gesture.
    var upgradesAutomatically = false
    /// For a new account in the system's sheet.
    nonisolated static let newUser = (email: "ada@example.com", firstName: "Ada")
    nonisolated let hasAccountSheet = true
    /// Runs while a sheet is open or the password manager works.
    var meanwhile: () -> Void = {}
    /// The signals that the password manager received.
    private(set) var signals: [PasskeySignal] = []

    var count: Int { device.credentials.count }

    /// The user gets a new device, and the finder keeps the old one.
    ///
    /// - Returns: The old device's password manager.
    func lose() -> DevicePasskeys {
        let old = DevicePasskeys()
        (old.device, device) = (device, SoftAuthenticator())
        return old
    }

    /// The user has the device again.
    func find(_ old: DevicePasskeys) { device = old.device }

    func create(_ options: AuthPasskeyRegistrationOptions, style: PasskeyCreationStyle) throws -> AuthJSON {
        let isAutomatic = style == .automatic
        guard isAutomatic ? upgradesAutomatically : !closesSheets else { throw AuthClientError.cancelled }
        meanwhile()
        var changes = SoftChanges()
        if isAutomatic { changes.flags = [.backupEligible, .backedUp] }
        do {
            return try device.create(options.options, origin: Self.origin, changes)
        } catch SoftAuthenticatorProblem.alreadyRegistered {
            throw AuthClientError.passkeyExists
        }
    }

    func createAccount(_ options: AuthPasskeyRegistrationOptions) throws -> PasskeyAccount {
        guard !closesSheets else { throw AuthClientError.cancelled }
        meanwhile()
        return PasskeyAccount(
            credential: try device.create(options.options, origin: Self.origin), email: Self.newUser.email,
            name: AppleName(given: Self.newUser.firstName))
    }

    func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) throws -> AuthJSON {
        guard style != .autoFill else { throw AuthClientError.noPasskey }
        guard !closesSheets else { throw AuthClientError.cancelled }
        do {
            return try device.get(options.options, origin: Self.origin)
        } catch SoftAuthenticatorProblem.noCredential {
            throw AuthClientError.noPasskey
        }
    }

    func signal(_ signal: PasskeySignal) { signals.append(signal) }
}
