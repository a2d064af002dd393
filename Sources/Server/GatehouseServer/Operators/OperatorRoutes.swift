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
        let (read, help) = (auth.callers.requireOperator(.read), auth.callers.requireOperator(.help))
        let (manage, own) = (auth.callers.requireOperator(.manage), auth.callers.requireOperator(.own))
        let wait = runtime.requestTimeLimit
        return [
            Route(.get, "/admin/overview", guardedBy: read, showOverview),
            Route(.get, "/admin/activity", guardedBy: read, showActivity),
            Route(.get, "/admin/latency", guardedBy: read, showLatency),
            Route(.get, "/admin/requests", guardedBy: read, listRequests).unlogged,
            Route(.get, "/admin/configuration", guardedBy: read, showConfiguration),
            Route(.get, "/admin/outbox", guardedBy: read, listMails),
            Route(.post, "/admin/outbox/{mail_id}/retry", guardedBy: help, timeLimit: wait, retryMail),
            Route(.delete, "/admin/outbox/{mail_id}", guardedBy: manage, timeLimit: wait, dropMail),
            Route(.get, "/admin/deliveries", guardedBy: read, listDeliveries),
            Route(.post, "/admin/deliveries/{delivery_id}/replay", guardedBy: help, timeLimit: wait, replayDelivery),
            // Without the time limit of a request: the endpoint's is as long.
            Route(.post, "/admin/webhooks/{webhook}/test", guardedBy: help, testWebhook),
            Route(.get, "/admin/keys", guardedBy: read, listKeys),
            Route(.post, "/admin/keys/rotate", guardedBy: own, timeLimit: wait, rotateKeys),
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
