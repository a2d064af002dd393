import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import Hummingbird
import ProfileGateway
import SQLDatabase

/// An extension. No response contains a user's address, a token or a secret.
struct OperatorRoutes: Sendable {
    let auth: AuthServer
    let accounts: Accounts
    let keys: KeyRing
    let database: any Database
    let settings: ServerSettings
    let runtime: ServerRuntime

    /// Below the Auth API's prefix.
    var all: [Route] {
        let (admin, wait) = (auth.callers.requireAdmin, runtime.requestTimeLimit)
        return [
            Route(.get, "/admin/overview", guardedBy: admin, showOverview),
            Route(.get, "/admin/activity", guardedBy: admin, showActivity),
            Route(.get, "/admin/latency", guardedBy: admin, showLatency),
            Route(.get, "/admin/requests", guardedBy: admin, listRequests).unlogged,
            Route(.get, "/admin/configuration", guardedBy: admin, showConfiguration),
            Route(.get, "/admin/outbox", guardedBy: admin, listMails),
            Route(.post, "/admin/outbox/{mail_id}/retry", guardedBy: admin, timeLimit: wait, retryMail),
            Route(.delete, "/admin/outbox/{mail_id}", guardedBy: admin, timeLimit: wait, dropMail),
            Route(.get, "/admin/deliveries", guardedBy: admin, listDeliveries),
            Route(.post, "/admin/deliveries/{delivery_id}/replay", guardedBy: admin, timeLimit: wait, replayDelivery),
            Route(.get, "/admin/keys", guardedBy: admin, listKeys),
            Route(.post, "/admin/keys/rotate", guardedBy: admin, timeLimit: wait, rotateKeys),
        ]
    }

    /// In its usual spelling.
    ///
    /// - Throws: ``Refusal`` 400 `validation_failed`.
    func id<Owner>(_ name: String, of: Owner.Type, _ context: ServerContext) throws -> String {
        guard let id = context.parameters.get(name).flatMap({ Identifier<Owner>($0) }) else {
            throw Refusal.invalid("\(name) must be a UUID")
        }
        return id.text
    }

    func changed(_ count: Int) -> Response {
        Answer.json(capacity: 32) { writer in
            writer.beginObject()
            writer.member("changed", Int64(count))
            writer.endObject()
        }
    }

    func entry(_ action: AuditEntry.Action, _ traits: AuthJSONObject, _ context: ServerContext) -> AuditEntry {
        AuditEntry(action, administrator: context.administrator, traits: traits)
    }
}
