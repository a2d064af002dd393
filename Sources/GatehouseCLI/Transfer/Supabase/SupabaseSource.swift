/// An account of a source, not yet taken apart.
struct SupabaseRow: Sendable {
    let id: String
    /// What ``SupabaseAccount`` reads.
    let text: [UInt8]
}

/// Where an import reads: page by page, in the order of the accounts' ids.
protocol SupabaseSource: Sendable {
    /// How many accounts there are; known before the first page.
    var total: Int { get }
    /// - Returns: nil at the end.
    func next() async throws -> [SupabaseRow]?
}
