import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import Hummingbird

extension OperatorRoutes {
    /// Newest first. `next_at` is present for waiting mails.
    @Sendable func listMails(_ request: Request, _ context: ServerContext) async throws -> Response {
        let mails = try await accounts.mailQueue.mails(limit: Query(request).listLimit())
        let backlog = try await accounts.mailQueue.mailBacklog()
        return Answer.json(capacity: 256 * (mails.count + 1)) { writer in
            writer.beginObject()
            writer.list("mails", mails) { $0.mail($1) }
            writer.member("waiting", Int64(backlog.count))
            writer.member("oldest", ifPresent: backlog.oldest)
            writer.endObject()
        }
    }

    /// `changed` is 1 if the mail waited after a fault and is due now.
    @Sendable func retryMail(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = try id("mail_id", of: MailStatus.self, context)
        let entry = entry(.mailRetried, ["mail_id": .string(id)], context)
        return changed(try await accounts.mailQueue.retryMails(id, recording: entry, at: runtime.now()))
    }

    /// `changed` is 1 if the mail waited and is erased unsent.
    @Sendable func dropMail(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = try id("mail_id", of: MailStatus.self, context)
        let entry = entry(.mailDropped, ["mail_id": .string(id)], context)
        return changed(try await accounts.mailQueue.dropMails(id, recording: entry, at: runtime.now()))
    }

    /// Newest first. `waiting` is present for webhooks.
    @Sendable func listDeliveries(_ request: Request, _ context: ServerContext) async throws -> Response {
        let deliveries = try await accounts.events.deliveries(limit: Query(request).listLimit())
        let endpoints = try await EndpointStatus.all(settings.hooks, accounts)
        return Answer.json(capacity: 320 * (deliveries.count + 1)) { writer in
            writer.beginObject()
            writer.list("endpoints", endpoints) { writer, endpoint in
                writer.beginObject()
                writer.member("name", endpoint.name)
                writer.member("kind", endpoint.kind.rawValue)
                writer.member("state", endpoint.state)
                if let waiting = endpoint.waiting { writer.member("waiting", Int64(waiting)) }
                writer.endObject()
            }
            writer.list("deliveries", deliveries) { $0.delivery($1) }
            writer.endObject()
        }
    }

    /// `changed` is 0 for a delivery that is due or being delivered. Otherwise it is due now, with the user's others.
    @Sendable func replayDelivery(_ request: Request, _ context: ServerContext) async throws -> Response {
        let id = try id("delivery_id", of: DeliveryStatus.self, context)
        let entry = entry(.deliveryReplayed, ["delivery_id": .string(id)], context)
        return changed(try await accounts.events.replay(.one(id), recording: entry, at: runtime.now()))
    }

    @Sendable func testWebhook(_ request: Request, _ context: ServerContext) async throws -> Response {
        let name = context.parameters.get("webhook") ?? ""
        let id: Identifier<DeliveryStatus> = accounts.newID()
        guard let result = try await auth.events.test(name, id: id.text) else {
            throw Refusal(.notFound, .notFound, "The settings have no webhook of this name")
        }
        let reason: String? =
            switch result {
            case .delivered: nil
            case .gone: "status 410, which disables it"
            case .failed(let reason): reason
            }
        return Answer.json { writer in
            writer.beginObject()
            writer.member("id", id.text)
            writer.member("accepted", reason == nil)
            writer.member("reason", ifPresent: reason)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func mail(_ mail: MailStatus) {
        beginObject()
        member("id", mail.id)
        member("kind", mail.kind)
        member("state", mail.state)
        member("reason", ifPresent: mail.reason)
        member("attempts", Int64(mail.attempts))
        member("created_at", mail.createdAt)
        if mail.endedAt == nil { member("next_at", mail.nextAt) }
        member("ended_at", ifPresent: mail.endedAt)
        endObject()
    }

    fileprivate mutating func delivery(_ delivery: DeliveryStatus) {
        beginObject()
        member("id", delivery.id)
        member("endpoint", delivery.endpoint)
        member("event", delivery.kind)
        member("user_id", delivery.user)
        member("state", delivery.state)
        member("reason", ifPresent: delivery.reason)
        member("attempts", Int64(delivery.attempts))
        member("created_at", delivery.createdAt)
        member("next_at", delivery.nextAt)
        member("ended_at", ifPresent: delivery.endedAt)
        endObject()
    }
}
