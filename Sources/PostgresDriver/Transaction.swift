import SQLDatabase

/// A transaction on one session. It begins with its first statement, in the same round trip.
final class Transaction: Connection {
    private let session: PostgresSession
    private let begin: String
    private let observe: @Sendable (DatabaseEvent) -> Void
    private(set) var hasBegun = false
    /// The first thing that went wrong: the server takes no more statements then.
    private(set) var failure: (any Error)?

    init(_ session: PostgresSession, begin: String, observe: @escaping @Sendable (DatabaseEvent) -> Void) {
        self.session = session
        self.begin = begin
        self.observe = observe
    }

    func rows<Value>(_ statement: SQL, _ decode: (any Row) throws -> Value) throws -> [Value] {
        observe(.statement)
        return try ask(.statement(statement))?.rows(decode) ?? []
    }

    func run(_ statement: SQL) throws -> Int {
        observe(.statement)
        return try ask(.statement(statement))?.changedRows ?? 0
    }

    func plan(_ statement: SQL) throws -> [String] {
        try ask(.plan(statement))?.rows { $0.text(0) } ?? []
    }

    private func ask(_ command: PostgresSession.Command) throws -> PostgresResult? {
        if let failure { throw Self.told(failure) }
        do {
            let commands = hasBegun ? [command] : [.plain(begin), command]
            hasBegun = true
            return try session.answer(commands)
        } catch {
            failure = error
            throw Self.told(error)
        }
    }

    /// - Throws: ``ServerRefusal`` when it surely did not happen, ``LostConnection`` when nobody knows.
    func commit() throws {
        if hasBegun { _ = try session.answer([.plain("COMMIT")]) }
    }

    /// - Throws: When the session cannot be used any more.
    func rollBack() throws {
        if !hasBegun { return }
        if failure is LostConnection { throw LostConnection(detail: "") }
        _ = try session.answer([.plain("ROLLBACK")])
    }

    static func told(_ error: any Error) -> any Error {
        switch error {
        case let refusal as ServerRefusal: refusal.told
        case let lost as LostConnection: lost.told
        default: error
        }
    }
}
