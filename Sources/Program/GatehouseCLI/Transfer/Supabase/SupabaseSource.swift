/// An unparsed account of a source.
package struct SupabaseRow: Sendable {
    /// The account's id, by which pages are ordered.
    package let id: String
    /// The JSON that ``SupabaseAccount`` reads.
    package let text: [UInt8]

    /// - Parameter text: The JSON that ``SupabaseAccount`` reads.
    package init(id: String, text: [UInt8]) {
        self.id = id
        self.text = text
    }
}

/// The source of an import: pages of accounts in order of id.
protocol SupabaseSource: Sendable {
    /// The number of accounts, known before the first page.
    var total: Int { get }
    /// Unreadable rows of unknown owners, complete before the first page.
    var notes: [SupabaseAccount.Note] { get }
    /// - Returns: nil at the end.
    func next() async throws -> [SupabaseRow]?
}
