import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import Hummingbird

// Never shows a private key.
extension OperatorRoutes {
    /// The database's keys, newest first.
    @Sendable func listKeys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = SigningKeyList(settings, now: runtime.now())
        return answer(list, try await keys.store?.all() ?? [])
    }

    /// The new key signs after one minute; old ones verify until their last token expires.
    @Sendable func rotateKeys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let list = SigningKeyList(settings, now: runtime.now())
        guard let store = keys.store else { throw Refusal.unknownAddress }
        let key = StoredSigningKey.new(at: list.now)
        let stored = try await accounts.rotate(
            store, to: key, forgettingRetiredBefore: list.now - list.verifyingTime,
            recording: entry(.signingKeysRotated, ["kid": .string(key.id)], context), at: list.now)
        try await keys.reload()
        return answer(list, stored)
    }

    private func answer(_ list: SigningKeyList, _ stored: [StoredSigningKey]) -> Response {
        let entries = list.entries(stored)
        return Answer.json(capacity: 256 * (entries.count + 1)) { writer in
            writer.beginObject()
            writer.list("keys", entries) { writer, key in
                writer.beginObject()
                writer.member("kid", key.id)
                writer.member("alg", key.algorithm)
                writer.member("state", key.state)
                writer.member("created_at", key.createdAt)
                writer.member("retired_at", ifPresent: key.retiredAt)
                writer.endObject()
            }
            writer.member("configured_key_signs", !list.databaseKeySigns)
            writer.endObject()
        }
    }
}
