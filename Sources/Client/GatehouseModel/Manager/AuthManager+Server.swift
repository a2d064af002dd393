import Gatehouse

extension AuthManager {
    /// Asks the server what it offers, unless it has answered already. The login screen does this itself. After a
    /// failure it asks again as soon as the device has a connection.
    public func loadServerSettings() async {
        guard serverSettings == nil else { return }
        // Lost: why the server does not answer. Without an answer, screens offer what most servers do.
        guard let settings = try? await service.settings() else {
            hasMissedSettings = true
            return
        }
        serverSettings = settings
    }

    /// The method of the last sign-in on this device; nil if it is unknown.
    public var lastMethod: AuthMethod? { memory.read().map { AuthMethod(rawValue: $0) } }
}
