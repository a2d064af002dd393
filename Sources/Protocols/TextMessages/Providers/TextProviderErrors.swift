import GatehouseWire
import IdentityProviders

/// A provider's error codes, and where its responses contain them.
struct TextProviderErrors: Sendable {
    private enum Kind: String, CaseIterable {
        case refused
        case temporary
        case configuration
    }

    private let paths: [ProfilePath]
    /// Where the response names the parameter at fault.
    private let parameter: ProfilePath?
    /// By code, or by code and parameter.
    private let known: [ExternalName: (kind: Kind, words: String)]

    init?(_ row: AuthJSON) {
        let paths = row["error"]?.arrayValue?.compactMap(\.stringValue).compactMap(ProfilePath.init)
        guard let paths, !paths.isEmpty else { return nil }
        self.paths = paths
        parameter = (row["parameter"]?.stringValue).flatMap(ProfilePath.init)
        var known: [ExternalName: (kind: Kind, words: String)] = [:]
        for kind in Kind.allCases {
            for (words, codes) in row[kind.rawValue]?.objectValue ?? [:] {
                for code in (codes.arrayValue ?? []).compactMap(\.stringValue) {
                    known[ExternalName(trusted: code)] = (kind, words)
                }
            }
        }
        self.known = known
    }

    /// At most five digits, which are no one's number and no code of a user; nil without an error.
    func code(in document: AuthJSON?) -> String? {
        guard let document else { return nil }
        let code = paths.lazy.compactMap { $0.text(in: document) }.first
        guard let code, code != "0", code.utf8.count <= 5, code.utf8.allSatisfy(\.isDigit) else { return nil }
        return code
    }

    /// - Parameter provider: Begins the reason.
    /// - Returns: nil for a response without an error.
    func result(status: Int, _ document: AuthJSON?, of provider: String) -> TextResult? {
        let code = code(in: document)
        let named = code.flatMap { code -> (kind: Kind, words: String)? in
            let name = document.flatMap { parameter?.text(in: $0) } ?? ""
            return known[ExternalName(trusted: "\(code) \(name.cut(to: 32))")] ?? known[ExternalName(trusted: code)]
        }
        if let code, let named {
            let reason = "\(provider) \(code): \(named.words)"
            return switch named.kind {
            case .refused: .refused(reason: reason)
            case .temporary: .failed(TextFailure(.temporary, reason))
            case .configuration: .failed(TextFailure(.configuration, reason))
            }
        }
        let reason = "\(provider)\(code.map { " " + $0 } ?? ""): status \(status)"
        switch status {
        case 200..<300: return code.map { _ in .failed(TextFailure(.configuration, reason)) }
        case 408, 429, 503: return .failed(TextFailure(.temporary, reason))
        case 500...: return .failed(TextFailure(.uncertain, reason))
        default: return .failed(TextFailure(.configuration, reason))
        }
    }
}
