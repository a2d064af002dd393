/// Never printed, dumped, encoded or compared with `==`.
package struct Secret: Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// `Scripts/checks/reveal-sites.txt` lists every call.
    package func reveal() -> String { text }

    package var isEmpty: Bool { text.isEmpty }
    package var utf8Count: Int { text.utf8.count }

    /// The time depends only on the lengths.
    package func matches(_ other: Secret) -> Bool {
        let (left, right) = (Array(text.utf8), Array(other.text.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Secret: Unprinted {
    package var description: String { "<secret>" }
}

/// A value with secrets or personal data. Printing it, including with `dump(_:)`, shows only its `description`.
public protocol Unprinted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Unprinted {
    /// The description.
    public var debugDescription: String { description }
    /// Shows no members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
