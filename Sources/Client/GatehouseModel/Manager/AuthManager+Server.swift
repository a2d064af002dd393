import Gatehouse

extension AuthManager {
    /// Asks the server what it offers, unless it has answered already. The login screen does this itself. After a
    /// failure it asks again as soon as the device has a connection.
    public func loadServerSettings() async {
        guard serverSettings == nil else { return }
        // Ignored: without the settings, screens offer the methods of most servers.
        guard let settings = try? await service.settings() else {
            hasMissedSettings = true
            return
        }
        serverSettings = settings
    }

    /// The fewest characters of a new password: 8, unless the server has said otherwise.
    var minimumPasswordLength: Int { serverSettings?.minimumPasswordLength ?? 8 }

    /// The numbers of digits that a code of a mail may have: 6 to 10, unless the server has said one.
    var codeLengths: ClosedRange<Int> { serverSettings?.codeLength.map { $0...$0 } ?? 6...10 }

    /// The method of the last sign-in on this device; nil if it is unknown.
    public var lastMethod: AuthMethod? { memory.read().map { AuthMethod(rawValue: $0) } }
}
