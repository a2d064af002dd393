import Gatehouse
public import Observation

/// The state of the screen that shows new recovery codes once.
@MainActor @Observable
public final class RecoveryCodesModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The codes are being generated.
        case working
        /// That failed; offer to retry.
        case failed(SignInMessage)
        /// The codes, until the screen closes.
        case showing
        /// No proof was given, or existing codes stay: close the screen.
        case cancelled
    }

    /// The current phase.
    public private(set) var phase = Phase.working
    /// The codes in groups of four letters.
    public private(set) var codes: [String] = []
    private let replacing: Bool
    private var hasAsked = false
    private let manager: AuthManager

    /// Creates a model.
    ///
    /// - Parameter replacing: Replaces the account's existing codes.
    public init(replacing: Bool, manager: AuthManager) {
        self.replacing = replacing
        self.manager = manager
    }

    /// The text of a file with the codes.
    ///
    /// - Parameter title: The first line, such as the app's name.
    public func file(title: String) -> String { ([title, ""] + codes).joined(separator: "\n") + "\n" }

    /// Generates the codes, unless shown. Keeps existing ones unless replacing.
    ///
    /// After a lost response, a retry replaces them.
    public func load() async {
        guard codes.isEmpty else { return }
        phase = .working
        do throws(AuthError) {
            let known = try await manager.factors.recoveryCodes()
            guard known == nil || replacing || hasAsked else {
                phase = .cancelled
                return
            }
            hasAsked = true
            let set = try await manager.factors.makeRecoveryCodes(replacing: replacing || known != nil)
            codes = set.codes.map { $0.inGroups(separator: "-") }
            phase = .showing
        } catch {
            phase = SignInMessage(changing: error).map { .failed($0) } ?? .cancelled
        }
    }
}
