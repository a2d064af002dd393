package struct SupabaseRow: Sendable {
    /// Pages are ordered by it.
    package let id: String
    /// For ``SupabaseAccount``.
    package let text: [UInt8]

    package init(id: String, text: [UInt8]) {
        self.id = id
        self.text = text
    }
}

/// Pages of accounts in order of id.
protocol SupabaseSource: Sendable {
    /// Known before the first page.
    var total: Int { get }
    /// Unreadable rows of unknown owners, complete before the first page.
    var notes: [SupabaseAccount.Note] { get }
    /// - Returns: nil at the end.
    func next() async throws -> [SupabaseRow]?
}
