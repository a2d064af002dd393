import GatehouseWire
import HTTPServing
import Logging
import Synchronization
import WebPages

/// Reloads an operator's texts and symbol. An unusable file keeps its previous contents in use.
package final class BrandingWatch: Sendable {
    static let interval: Duration = .seconds(5)

    private struct State {
        var files: BrandingFiles
        var branding: Branding
    }

    private let state: Mutex<State>
    private let pages: WebPages
    private let logger: Logger

    init(_ files: BrandingFiles, _ branding: Branding, _ pages: WebPages, _ logger: Logger) {
        state = Mutex(State(files: files, branding: branding))
        (self.pages, self.logger) = (pages, logger)
    }

    /// Logs each change once.
    ///
    /// - Throws: The package's template errors.
    package func look() throws {
        try state.withLock { state in
            var isOther = false
            for file in state.files.read() {
                do throws(BrandingProblem) {
                    try state.files.apply(file, to: &state.branding)
                    isOther = true
                    logger.event(.notice, "account pages show a changed file", [.name: file.name])
                } catch {
                    logger.event(
                        .warning, "a file of the account pages cannot be used, its previous content stays in use",
                        [.name: file.name, .cause: "\(error)"])
                }
            }
            if isOther { try pages.show(state.branding) }
        }
    }
}

extension PeriodicTask {
    static func branding(_ watch: BrandingWatch, _ world: World) -> PeriodicTask {
        PeriodicTask(every: BrandingWatch.interval, sleep: world.sleep) {
            try watch.look()
            return 0
        } failed: { error in
            world.logger.event(.error, "account pages could not be shown with changed files", [.cause: "\(error)"])
        }
    }
}
