import AuthServer
import HTTPServing
import Logging
import ServiceLifecycle

/// Makes rotations by other nodes or the command line take effect.
struct KeyReload: Service {
    /// Shorter than ``KeyRing/settling``: every node loads a new key before it signs.
    static let interval: Duration = .seconds(30)

    let keys: KeyRing
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await sleep(Self.interval)
                    try await keys.reload()
                } catch is CancellationError {
                    return
                } catch {
                    // The loaded keys stay in use; the next round retries.
                    logger.event(.error, "signing keys could not be read", [.cause: "\(error)"])
                }
            }
        }
    }
}
