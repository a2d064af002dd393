import AccountDomain
import Crypto
import SQLDatabase

/// Converts failures that an operator can fix into sentences that say how.
func explaining<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let unknown as UnknownServerSecret {
        let number = unknown.number.map { "\($0)" } ?? "unknown"
        throw CommandFailure(
            "A key in the database is encrypted with server secret \(number), which is not configured. Add it after "
                + "the newer ones; see Docs/configuration.md.")
    } catch is CryptoKitError {
        throw CommandFailure(
            "A key in the database cannot be decrypted: its server secret was changed under the same number, or the "
                + "database belongs to another server. Restore that secret.")
    } catch let failure as DatabaseFailure {
        throw CommandFailure("The database cannot be used: \(failure).")
    }
}
