import Gatehouse

extension AuthManager {
    /// Loads the server's settings once, retrying when online again. The login screen calls it.
    public func loadServerSettings() async {
        guard serverSettings == nil else { return }
        // Ignored: without the settings, screens offer the methods of most servers.
        guard let settings = try? await service.settings() else {
            hasMissedSettings = true
            return
        }
        serverSettings = settings
    }

    var minimumPasswordLength: Int { serverSettings?.minimumPasswordLength ?? 8 }

    var codeLengths: ClosedRange<Int> { serverSettings?.codeLength.map { $0...$0 } ?? 6...10 }

    /// The last sign-in's method on this device.
    public var lastMethod: AuthMethod? { memory.read().map { AuthMethod(rawValue: $0) } }
}
