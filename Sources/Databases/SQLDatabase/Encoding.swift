/// A PostgreSQL encoding that cannot store every text.
package struct UnsuitableEncoding: Error, Equatable, Sendable {
    package let name: String
}

extension Database {
    /// SQLite always has a Unicode encoding.
    ///
    /// - Throws: ``UnsuitableEncoding``, and ``DatabaseFailure``.
    package func requireUTF8() async throws {
        guard dialect == .postgresql else { return }
        let name = try await row("SELECT current_setting('server_encoding')") { $0.text() }
        if let name, name != "UTF8" { throw UnsuitableEncoding(name: name) }
    }
}
