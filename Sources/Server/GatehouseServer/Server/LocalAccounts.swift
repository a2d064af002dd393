import AccountDomain
package import AccountStore
package import AuthServer
import GatehouseWire
import HTTPServing
import JSONWebTokens
import Logging
import PasswordHashing
import ProfileGateway
import SQLDatabase
import ServiceLifecycle

package struct LocalAccounts: Sendable {
    package let accounts: Accounts
    package let keys: KeyRing
    package let revocations: RevocationPoller
    package let auth: AuthServer
    private let passwords: PasswordHasher

    /// - Throws: The errors of ``KeyRing/reload()`` and ``RevocationPoller/poll()``, and ``ProviderSettingsProblems``.
    init(
        _ settings: ServerSettings, _ secrets: ServerSecrets, _ database: any Database, _ runtime: ServerRuntime,
        _ world: World
    ) async throws {
        let webhooks = makeWebhooks(settings, runtime, world)
        var accounts = makeAccounts(settings, secrets, database, world) { webhooks?.ring() }
        let keys = makeKeyRing(settings, secrets, database, world)
        runtime.metrics.gauge(
            "gatehouse_revocations_lost", "Revocations that newer ones replaced before their tokens expired."
        ) { Double(keys.cache.revocationsLost) }
        try await keys.reload()
        self.keys = keys
        revocations = RevocationPoller(accounts, keys, now: world.now)
        try await revocations.poll()
        accounts.afterRevocation = revocations.pollNow
        self.accounts = accounts
        passwords = makeHasher(settings, runtime, world)
        auth = AuthServer(
            settings: settings.auth, accounts: accounts, keys: keys, passwords: passwords, runtime: runtime,
            attempts: settings.rates.map { Attempts($0, shared: sharedFailures(database)) },
            providers: try makeProviders(settings, runtime.tracer, world),
            mailer: makeMailer(settings, database, runtime, world),
            texter: makeTexter(settings, database, runtime.tracer, world),
            hooks: makeHooks(settings, runtime.tracer, world), webhooks: webhooks,
            captcha: makeCaptcha(settings, runtime.tracer, world),
            breachedPasswords: makeBreachedPasswords(settings, runtime.tracer, world),
            clientDocuments: makeClientDocuments(settings, runtime.tracer, world))
    }

    func tables(
        _ settings: ServerSettings, _ database: any Database, _ events: EventRoute?, _ runtime: ServerRuntime,
        _ world: World
    ) -> [RouteTable] {
        let crossOrigin = CrossOriginPolicy(additionalHeaders: settings.allowedHeaders)
        let operators = OperatorRoutes(
            auth: auth, accounts: accounts, keys: keys, database: database, settings: settings, runtime: runtime)
        let table = auth.table(prefixes: settings.authPrefixes, crossOrigin: crossOrigin, with: operators.all)
        guard settings.parts.contains(.gateway) else { return [table] }
        let profiles = Profiles(database: database, fields: settings.profileFields)
        let bearer = LocalBearer(
            keys: keys, accounts: accounts, profiles: profiles, usedTokens: auth.usedTokens,
            issuer: settings.auth.issuer, audience: settings.audience, clients: settings.clientAccess, now: world.now)
        let gateway = makeGateway(
            settings, world, profiles, events, bearer.authenticate, bearer.change, bearer.delete)
        return [table] + gateway.tables(runtime: runtime, crossOrigin: crossOrigin)
    }

    func services(_ world: World) -> [any Service] {
        var services: [any Service] = [
            KeyReload(keys: keys, sleep: world.sleep, logger: world.logger),
            PeriodicTask.revocations(revocations, world),
            PeriodicTask.outbox(auth, world), PeriodicTask.providers(auth, world), PeriodicTask.purge(auth, world),
            PeriodicTask.sweep(auth, world), PeriodicTask.retention(auth, world),
            PeriodicTask.searchIndex(auth, world),
            PeriodicTask.hashingMemory(passwords, world),
        ]
        if !auth.events.webhookEndpoints.isEmpty { services.append(PeriodicTask.eventBacklog(auth, world)) }
        for endpoint in auth.events.webhookEndpoints { services.append(PeriodicTask.events(auth, endpoint, world)) }
        let lanes = auth.mailDelivery.lanes
        guard !lanes.isEmpty else { return services }
        services.append(PeriodicTask.mailBacklog(auth, world))
        for lane in lanes { services.append(PeriodicTask.mails(auth, lane, world)) }
        return services
    }

    /// Finishes pending hash upgrades, then stops the hashing threads.
    func close() async {
        await auth.finishUpgrades()
        await passwords.shutdown()
    }
}
