import AccountDomain
import GatehouseWire
import SQLDatabase

/// Every column encrypted with a server secret has one of these.
///
/// The order matters: a value that the server copies comes before its copy.
package enum SealedKind: CaseIterable, Sendable {
    case authenticatorApp, signingKey, providerToken, importKey, providerTask
    case signInFlow, authorizationCode, linkTicket, pendingSignUp, mail, webhookDelivery

    /// For an operator, in the plural.
    package var label: String {
        switch self {
        case .authenticatorApp: "authenticator apps"
        case .signingKey: "signing keys"
        case .providerToken: "provider tokens"
        case .importKey: "keys of imported sessions"
        case .providerTask: "tasks for providers"
        case .signInFlow: "sign-ins under way"
        case .authorizationCode: "authorization codes"
        case .linkTicket: "link questions"
        case .pendingSignUp: "pending sign-ups"
        case .mail: "queued mails"
        case .webhookDelivery: "webhook deliveries"
        }
    }
}

struct SealedRow: Sendable {
    let key: SQLValue
    let bytes: [UInt8]
    /// The kind it was sealed as.
    let name: String
}

extension SealedKind {
    struct Column: Sendable {
        let table: StaticString
        /// The primary key.
        let key: StaticString
        let sealed: StaticString
    }

    var column: Column {
        switch self {
        case .authenticatorApp: Column(table: "factors", key: "id", sealed: "sealed_secret")
        case .signingKey: Column(table: "signing_keys", key: "id", sealed: "private_key")
        case .providerToken: Column(table: "provider_tokens", key: "identity_id", sealed: "sealed")
        case .importKey: Column(table: "import_keys", key: "id", sealed: "sealed")
        case .providerTask: Column(table: "outbox", key: "id", sealed: "sealed")
        case .signInFlow: Column(table: "flow_states", key: "digest", sealed: "sealed")
        case .authorizationCode: Column(table: "authorization_codes", key: "digest", sealed: "sealed")
        case .linkTicket: Column(table: "link_tickets", key: "digest", sealed: "sealed")
        case .pendingSignUp: Column(table: "one_time_tokens", key: "digest", sealed: "sealed")
        case .mail: Column(table: "mail_outbox", key: "id", sealed: "sealed")
        case .webhookDelivery: Column(table: "webhook_deliveries", key: "id", sealed: "sealed")
        }
    }

    func row(_ row: inout Row) -> SealedRow {
        switch self {
        case .authenticatorApp: named(&row) { FactorStore.sealName(of: FactorID(trusted: $0)) }
        case .signingKey: named(&row, SigningKeys.sealName)
        case .providerToken: named(&row) { ProviderCalls.grantName(IdentityID(trusted: $0)) }
        case .importKey: SealedRow(key: .int(row.int()), bytes: row.bytes(), name: TransferStore.importKeySeal)
        case .providerTask: SealedRow(key: .text(row.text()), bytes: row.bytes(), name: row.text())
        case .signInFlow: digested(&row, LinkStore.flowSeal)
        case .authorizationCode: digested(&row, FlowStore.codeSeal)
        case .linkTicket: digested(&row, LinkStore.ticketSeal)
        case .pendingSignUp: digested(&row, CodeStore.signUpSeal)
        case .mail: named(&row) { LinkStore.sealName(MailQueue.mailSeal, Identifier<ClaimedMail>(trusted: $0).bytes) }
        case .webhookDelivery:
            named(&row) { LinkStore.sealName(EventStore.eventSeal, Identifier<ClaimedDelivery>(trusted: $0).bytes) }
        }
    }

    private func named(_ row: inout Row, _ name: (String) -> String) -> SealedRow {
        let id = row.text()
        return SealedRow(key: .text(id), bytes: row.bytes(), name: name(id))
    }

    private func digested(_ row: inout Row, _ name: String) -> SealedRow {
        let digest = row.bytes()
        return SealedRow(key: .bytes(digest), bytes: row.bytes(), name: LinkStore.sealName(name, digest))
    }
}
