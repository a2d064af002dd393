import Gatehouse
public import Observation

/// The state of the screen that shows new recovery codes, once.
@MainActor @Observable
public final class RecoveryCodesModel {
    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        /// The codes are being made.
        case working
        /// That failed; offer to try again.
        case failed(SignInMessage)
        /// The codes, until the screen closes.
        case showing
        /// The user did not give the proof that the server requires, or has codes that stay: close the screen.
        case cancelled
    }

    /// The current phase.
    public private(set) var phase = Phase.working
    /// The codes in groups of four letters; empty before they are there.
    public private(set) var codes: [String] = []
    private let replacing: Bool
    private var hasAsked = false
    private let manager: AuthManager

    /// - Parameter replacing: Whether the account has codes, which the new ones replace.
    public init(replacing: Bool, manager: AuthManager) {
        self.replacing = replacing
        self.manager = manager
    }

    /// The text of a file with the codes.
    ///
    /// - Parameter title: The first line, such as the app's name.
    public func file(title: String) -> String { ([title, ""] + codes).joined(separator: "\n") + "\n" }

    /// Generates the codes, unless they are shown. The account's existing codes stay, unless they are to be replaced.
    ///
    /// After a lost response, the account may have codes that were never shown, so another attempt replaces them.
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
