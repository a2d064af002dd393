import Foundation
import Gatehouse
import Synchronization

/// A phone's network connection, which can be switched off.
final class PhoneNetwork: Sendable {
    private let transport: HTTPTransport
    private let isOff = Mutex(false)

    init(_ transport: @escaping HTTPTransport) { self.transport = transport }

    var isOffline: Bool {
        get { isOff.withLock { $0 } }
        set { isOff.withLock { $0 = newValue } }
    }

    @Sendable func send(_ call: HTTPCall) async throws -> HTTPReply {
        guard !isOffline else { throw URLError(.notConnectedToInternet) }
        return try await transport(call)
    }
}
