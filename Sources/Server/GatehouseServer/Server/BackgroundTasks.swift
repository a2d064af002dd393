import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import IdentityProviders
import JSONWebTokens
import Logging
import PasswordHashing
import ProfileGateway
import ServiceLifecycle

extension PeriodicTask {
    /// - Parameter message: Logged with a failure's cause.
    private init(
        every pause: Duration, _ world: World, _ message: StaticString, at level: Logger.Level = .error,
        work: @escaping @Sendable () async throws -> Void
    ) {
        self.init(every: pause, sleep: world.sleep) {
            try await work()
            return 0
        } failed: { error in
            world.logger.event(level, message, [.cause: "\(error)"])
        }
    }

    /// Such as revoking a provider's tokens.
    static func outbox(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        let logger = world.logger
        let hidden = HiddenFailures(find: auth.identities.hiddenProviderFailures) { name, failures in
            guard !failures.isEmpty else { return logger.event(.notice, "provider answers again", [.name: name]) }
            logger.event(
                .warning, "provider does not answer, what is known of it serves on",
                [.name: name, .cause: failures.map { "\($0)" }.joined(separator: "; ")])
        }
        return PeriodicTask(every: .seconds(10), sleep: world.sleep) {
            let count = try await auth.identities.workOutbox(logger: logger)
            await hidden.look()
            return count
        } failed: { error in
            logger.event(.error, "outbox could not be worked on", [.cause: "\(error)"])
        }
    }

    /// At the start and daily.
    static func providers(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(86_400), sleep: world.sleep) {
            await auth.identities.reportUnusableProviders(logger: world.logger)
            return 0
        } failed: { _ in
        }
    }

    /// At the start and daily, for a standalone gateway.
    static func issuerKeys(_ issuer: RemoteIssuerSettings, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(86_400), world, "the issuer's keys cannot be read", at: .warning) {
            let keys = try KeySet(published: await issuer.fetchKeys(world.http))
            if keys.algorithms.isEmpty {
                world.logger.event(.warning, "tokens are refused: the issuer publishes no key that verifies them")
            }
        }
    }

    /// This node's own mails immediately.
    static func mails(_ auth: AuthServer, _ lane: MailLane, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(1)) { pause in
            try await auth.mailDelivery.waitForMails(lane, atMost: pause)
        } work: {
            try await auth.mailDelivery.workMails(lane, logger: world.logger) { Task.isShuttingDownGracefully }
        } failed: { error in
            world.logger.event(.error, "mails could not be worked on", [.cause: "\(error)"])
        }
    }

    static func mailBacklog(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(10), world, "mails could not be counted") {
            try await auth.mailDelivery.countMails()
        }
    }

    /// This node's own events immediately.
    static func events(_ auth: AuthServer, _ endpoint: WebhookEndpoint, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(1)) { pause in
            try await auth.events.waitForEvents(to: endpoint, atMost: pause)
        } work: {
            try await auth.events.deliverEvents(to: endpoint) { Task.isShuttingDownGracefully }
        } failed: { error in
            world.logger.event(
                .error, "events could not be delivered", [.name: endpoint.name, .cause: "\(error)"])
        }
    }

    static func eventBacklog(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(10), world, "events could not be counted") { try await auth.events.countEvents() }
    }

    /// Ended sessions and banned or deleted users of other nodes.
    static func revocations(_ revocations: RevocationPoller, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(1), world, "ended sessions could not be read") { try await revocations.poll() }
    }

    static func activity(_ tally: ActivityTally, _ store: ActivityCounts, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(5), world, "counted sign-ins could not be stored", at: .warning) {
            try await tally.write(to: store)
        }
    }

    static func refusals(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(5), world, "refused sign-ins could not be stored", at: .warning) {
            try await auth.writeRefusals()
        }
    }

    static func events(_ tally: EventTally, _ store: EventCounts, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(5), world, "counted events could not be stored", at: .warning) {
            try await tally.write(to: store)
        }
    }

    /// Releases hashing threads' memory after ten idle seconds.
    static func hashingMemory(_ passwords: PasswordHasher, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(10), sleep: world.sleep) {
            passwords.releaseUnusedMemory()
            return 0
        } failed: { _ in
        }
    }

    static func purge(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(600), sleep: world.sleep, work: auth.purgeExpired) { error in
            world.logger.event(.error, "what has run out could not be removed", [.cause: "\(error)"])
        }
    }

    /// In small batches, with pauses in which requests write.
    static func retention(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(600), sleep: world.sleep) {
            let removed = try await auth.removeOutdated()
            if removed > 0 { try await world.sleep(.milliseconds(50)) }
            return removed
        } failed: { error in
            world.logger.event(.error, "old records could not be removed", [.cause: "\(error)"])
        }
    }

    /// Also in small batches.
    static func eventRetention(_ store: EventCounts, _ stay: Duration, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(600), sleep: world.sleep) {
            let removed = try await store.remove(before: world.now() - stay, limit: 200)
            if removed > 0 { try await world.sleep(.milliseconds(50)) }
            return removed
        } failed: { error in
            world.logger.event(.error, "old records could not be removed", [.cause: "\(error)"])
        }
    }

    /// In small batches.
    static func sweep(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(600), world, "sessions that are over could not be removed") {
            _ = try await auth.removeEndedSessions()
        }
    }

    /// For searches by name, which index the last changes by themselves.
    static func searchIndex(_ auth: AuthServer, _ world: World) -> PeriodicTask {
        PeriodicTask(every: .seconds(5), sleep: world.sleep, work: auth.indexAccounts) { error in
            world.logger.event(.error, "accounts could not be indexed for searches", [.cause: "\(error)"])
        }
    }
}
