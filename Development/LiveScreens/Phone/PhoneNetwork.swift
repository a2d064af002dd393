import Foundation
import Gatehouse
import Synchronization

/// Can be switched off. Like a phone's `URLSession`, sends the phone's language, in which emails are then written.
final class PhoneNetwork: Sendable {
    private struct State {
        var isOffline = false
        var language = PhoneSettings().language
    }

    private let transport: HTTPTransport
    private let state = Mutex(State())

    init(_ transport: @escaping HTTPTransport) { self.transport = transport }

    var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// A tag, such as `ar`.
    var language: String {
        get { state.withLock { $0.language } }
        set { state.withLock { $0.language = newValue } }
    }

    @Sendable func send(_ call: HTTPCall) async throws -> HTTPReply {
        guard !isOffline else { throw URLError(.notConnectedToInternet) }
        var call = call
        call.headers["accept-language"] = language
        return try await transport(call)
    }
}
