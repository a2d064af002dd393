import AccountDomain
package import AccountStore
import GatehouseServer
package import GatehouseWire
import JSONWebTokens
import SQLDatabase

struct DatabaseChecks {
    let settings: ServerSettings
    let parts: Set<ServedPart>
    let database: any Database

    func all(at now: Instant) async -> [Finding] {
        let integrity = await integrity()
        guard integrity.state != .problem else { return [integrity] }
        let schema = await schema()
        guard schema.state == .ok else { return [integrity, schema] }
        return [integrity, schema, await signingKeys(), await sealedData(), await outbox(at: now)]
            + (await refusedMails()) + (await webhooks())
    }

    /// Of each webhook with an event that failed and waits for its next attempt.
    private func webhooks() async -> [Finding] {
        guard let secrets = settings.secrets else { return [] }
        do {
            let store = makeAccounts(settings, secrets, database, System.world()).events
            return try await store.failingWebhooks().map { webhook in
                .warning(
                    "webhook \(webhook.endpoint)",
                    "\(webhook.waiting) events failed and wait, the oldest since \(webhook.since): \(webhook.reason)",
                    "repair the endpoint, then run `gatehouse hooks replay --waiting \(webhook.endpoint)`")
            }
        } catch {
            return [.problem("webhooks", "cannot be read: \(error)", "check the database")]
        }
    }

    private func integrity() async -> Finding {
        if database.dialect == .postgresql { return await answer() }
        do {
            let lines = try await database.rows("PRAGMA quick_check(5)") { $0.text() }
            if lines == ["ok"] { return .ok("database", "\(settings.database.path) is intact") }
            return .problem(
                "database", "\(settings.database.path) is damaged: \(lines.first ?? "no answer")",
                "stop the server and restore the latest backup")
        } catch {
            return .problem(
                "database", "\(settings.database.path) cannot be read: \(error)", "check path, owner and permissions")
        }
    }

    private func answer() async -> Finding {
        do {
            // Reads, shared commits and locks each have their own connection.
            return .postgres(
                try await PostgresFacts(of: database), connections: settings.database.connections + 3)
        } catch {
            return .problem(
                "database", "the server does not respond: \(error)",
                "check the URL, the password, sslmode, and that the server accepts connections from this machine")
        }
    }

    private func schema() async -> Finding {
        do {
            let steps = migrations(for: parts)
            let pending = try await database.pendingMigrations(steps)
            guard pending.isEmpty else {
                return .warning(
                    "schema", "\(pending.count) migrations have not run",
                    "gatehouse migrate" + (parts == [.gateway] ? " --only gateway" : ""))
            }
            if let newest = try await database.schemaState(steps).newer.last {
                return .warning(
                    "schema", "level \(newest), from a newer program",
                    "none needed during an upgrade; otherwise start the newer release")
            }
            return .ok("schema", "up to date, level \(steps.last?.number ?? 0)")
        } catch {
            return .problem("schema", "cannot be read: \(error)", "check the database")
        }
    }

    private func signingKeys() async -> Finding {
        guard let secrets = settings.secrets else { return .ok("signing keys", "none needed") }
        let store = SigningKeys(database: database, secrets: secrets, randomBytes: System.randomBytes)
        do {
            let keys = try await store.all()
            for key in keys { _ = try JSONWebKey(text: key.privateKey) }
            return .ok(
                "signing keys", keys.isEmpty ? "none yet; the first start creates one" : "\(keys.count) readable")
        } catch {
            return .problem(
                "signing keys", "a key cannot be decrypted with the configured secrets (\(error))",
                "restore the secret with that number; if it is lost, delete that row in signing_keys: the next start "
                    + "creates a key, and every client refreshes once")
        }
    }

    private func sealedData() async -> Finding {
        guard let secrets = settings.secrets else { return .ok(Finding.sealedName, "none needed") }
        do {
            let accounts = makeAccounts(settings, secrets, database, System.world())
            var counts: [(SealedKind, SealedCounts)] = []
            for kind in SealedKind.allCases {
                counts.append((kind, try await accounts.resealing.sealedCounts(of: kind)))
            }
            return .sealedData(counts)
        } catch {
            return .problem(Finding.sealedName, "cannot be read: \(error)", "check the database")
        }
    }

    /// Such as revoking deleted accounts' Apple tokens.
    private func outbox(at now: Instant) async -> Finding {
        guard let secrets = settings.secrets else { return .ok("outbox", "none needed") }
        do {
            let backlog = try await makeAccounts(settings, secrets, database, System.world()).providerCalls
                .outboxBacklog()
            return .outbox(count: backlog.count, oldest: backlog.oldest, at: now)
        } catch {
            return .problem("outbox", "cannot be read: \(error)", "check the database")
        }
    }

    private func refusedMails() async -> [Finding] {
        guard let secrets = settings.secrets, settings.mail != nil else { return [] }
        do {
            let accounts = makeAccounts(settings, secrets, database, System.world())
            let refused = try await accounts.mailQueue.refusedMails()
            return refused.areOurFault ? [.refused(refused)] : []
        } catch {
            return [.problem("mails", "cannot be read: \(error)", "check the database")]
        }
    }

    func newestAccount() async -> Instant? {
        guard let secrets = settings.secrets else { return nil }
        let accounts = makeAccounts(settings, secrets, database, System.world())
        // Ignored: the schema check reports unreadable accounts.
        let page = try? await accounts.admin.list(filter: nil, ascending: false, page: PageRequest(number: 1, size: 1))
        return page?.elements.first?.user.times.createdAt
    }
}

extension Finding {
    static let sealedName = "sealed data"

    package static func sealedData(_ counts: [(kind: SealedKind, counts: SealedCounts)]) -> Finding {
        func sum(_ path: KeyPath<SealedCounts, Int>) -> Int { counts.reduce(0) { $0 + $1.counts[keyPath: path] } }
        func list(_ path: KeyPath<SealedCounts, Int>) -> String {
            counts.filter { $0.counts[keyPath: path] > 0 }
                .map { "\(Progress.grouped($0.counts[keyPath: path])) \($0.kind.label)" }.joined(separator: ", ")
        }
        let (older, unopened) = (sum(\.older), sum(\.unopened))
        let waiting = "\(Progress.grouped(older)) values need an older server secret (\(list(\.older)))"
        if unopened > 0 {
            let lost = "\(Progress.grouped(unopened)) values cannot be decrypted (\(list(\.unopened)))"
            return .problem(
                sealedName, older > 0 ? "\(lost); \(waiting)" : lost,
                "put back the server secret that they need, after the first one; `gatehouse keys reseal` names the rows"
            )
        }
        if older > 0 {
            return .warning(
                sealedName, waiting,
                "once every server runs with the first secret, run `gatehouse keys reseal`; keep the older one until then"
            )
        }
        let total = sum(\.total)
        return .ok(sealedName, total == 0 ? "none yet" : "all stored values use the current server secret")
    }

    private static let usualWait: Duration = .seconds(3_600)

    package static func refused(_ mails: RefusedMails) -> Finding {
        .problem(
            "mails", "the last \(mails.count) emails were \(mails.reason ?? "refused")",
            "check what the mail server requires of \(Setting.smtpSender.environmentName), "
                + "\(Setting.smtpUser.environmentName) and this machine; then run gatehouse mail retry")
    }

    package static func outbox(count: Int, oldest: Instant?, at now: Instant) -> Finding {
        guard let oldest, count > 0 else { return .ok("outbox", "empty") }
        let minutes = max(0, (now - oldest).components.seconds / 60)
        let text = "\(count) tasks waiting for providers, the oldest for \(minutes) min"
        guard now - oldest > usualWait else { return .ok("outbox", text) }
        return .warning(
            "outbox", text, "check that a server is running, and its log for the provider; retries continue for days")
    }
}
