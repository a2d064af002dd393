/// An account of a source, not yet taken apart.
package struct SupabaseRow: Sendable {
    package let id: String
    /// What ``SupabaseAccount`` reads.
    package let text: [UInt8]

    package init(id: String, text: [UInt8]) {
        self.id = id
        self.text = text
    }
}

/// Where an import reads: page by page, in the order of the accounts' ids.
protocol SupabaseSource: Sendable {
    /// How many accounts there are; known before the first page.
    var total: Int { get }
    /// What could not be read, and whose it was is not known; complete before the first page.
    var notes: [SupabaseAccount.Note] { get }
    /// - Returns: nil at the end.
    func next() async throws -> [SupabaseRow]?
}
