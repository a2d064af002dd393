/// An untrusted name, such as a JSON member or `kid`, as a dictionary key. Compared by UTF-8 bytes.
package struct ExternalName: Hashable, Sendable {
    /// In bytes.
    package static let maximumLength = 256

    package let text: String

    /// nil if longer than ``maximumLength``.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        self.text = text
    }

    /// From the program, the operator, or validated storage.
    package init(trusted text: String) { self.text = text }

    package static func == (left: ExternalName, right: ExternalName) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension ExternalName: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { text = value }
}

extension ExternalName: Comparable {
    package static func < (left: ExternalName, right: ExternalName) -> Bool { left.text < right.text }
}

extension ExternalName: CustomStringConvertible {
    package var description: String { text }
}

extension String {
    package func hashBytes(into hasher: inout Hasher) {
        let isDone: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if isDone == nil { for byte in utf8 { hasher.combine(byte) } }
        // Not a byte of UTF-8, so it separates texts.
        hasher.combine(0xFF as UInt8)
    }
}
