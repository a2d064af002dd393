import AccountDomain
import AccountStore
import GatehouseWire

extension AccountLine {
    /// Programs that do not know the member ignore it.
    static func write(_ removals: [TransferredRemoval], to writer: inout JSONWriter) {
        if removals.isEmpty { return }
        writer.name("removed_identities")
        writer.beginArray()
        for removal in removals {
            writer.beginObject()
            writer.member("provider", removal.provider)
            writer.member("provider_id", removal.providerID)
            writer.member("kind", removal.kind.rawValue)
            writer.member("by_proof", removal.isByProof)
            writer.member("created_at", removal.at)
            writer.endObject()
        }
        writer.endArray()
    }

    /// - Throws: ``LineProblem`` for a removal that cannot be restored: it would open the account again.
    static func removals(_ columns: LineColumns, at now: Instant) throws(LineProblem) -> [TransferredRemoval] {
        var removals: [TransferredRemoval] = []
        for element in try columns.array("removed_identities") ?? [] {
            guard let members = element.objectValue else {
                throw LineProblem("removed_identities has what is no object")
            }
            let row = LineColumns(members)
            guard let provider = try row.text("provider"), let providerID = try row.text("provider_id") else {
                throw LineProblem("a removed identity lacks provider or provider_id")
            }
            guard let kind = try row.text("kind").flatMap({ LinkRemoval(text: $0) }) else {
                throw LineProblem("the kind of a removed identity is neither unlinked nor undone")
            }
            removals.append(
                TransferredRemoval(
                    provider: provider, providerID: providerID, kind: kind, isByProof: try row.flag("by_proof"),
                    at: try row.time("created_at") ?? now))
        }
        return removals
    }
}
