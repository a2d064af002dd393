import AuthServer
import HTTPServing
import Logging
import ServiceLifecycle

/// Reads the signing keys anew, so that a rotation on another node or from the command line arrives here.
struct KeyReload: Service {
    /// Well below ``KeyRing/overlap``, in which a new key may sign what a node that has not read it must verify.
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
                    // The keys that are known serve on; the next round tries again.
                    logger.event(.error, "signing keys could not be read", [.cause: "\(error)"])
                }
            }
        }
    }
}
