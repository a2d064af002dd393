import GatehouseWire
import HTTPServing
import Logging
import Synchronization
import WebPages

/// Shows an operator's texts and symbol as their files change. A file that cannot be used leaves in use what it
/// contained before.
package final class BrandingWatch: Sendable {
    static let interval: Duration = .seconds(5)

    private struct State {
        var files: BrandingFiles
        var branding: Branding
    }

    private let state: Mutex<State>
    private let pages: WebPages
    private let logger: Logger

    /// - Parameter files: As they were when `branding` was made of them.
    init(_ files: BrandingFiles, _ branding: Branding, _ pages: WebPages, _ logger: Logger) {
        state = Mutex(State(files: files, branding: branding))
        (self.pages, self.logger) = (pages, logger)
    }

    /// Reads the files, and shows the ones that have changed. Reports each change once, to the log.
    ///
    /// - Throws: The error of a template that cannot be parsed. Those of the package can.
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
    /// Reads the operator's branding of the account pages.
    static func branding(_ watch: BrandingWatch, _ world: World) -> PeriodicTask {
        PeriodicTask(every: BrandingWatch.interval, sleep: world.sleep) {
            try watch.look()
            return 0
        } failed: { error in
            world.logger.event(.error, "account pages could not be shown with changed files", [.cause: "\(error)"])
        }
    }
}
