package import AccountDomain
package import AccountStore
package import AuthServer
import Foundation
import GatehouseWire
import HTTPServing
import IdentityProviders
import JSONWebTokens
import PasswordHashing
import ProfileGateway
import SMTP
package import SQLDatabase
import TextMessages
import WebPages

package func makeAccounts(
    _ settings: ServerSettings, _ secrets: ServerSecrets, _ database: any Database, _ world: World,
    eventsWritten: @escaping @Sendable () -> Void = {}
) -> Accounts {
    var accounts = Accounts(
        database: database, secrets: secrets, policy: settings.sessions, audience: settings.audience,
        role: settings.role, randomBytes: world.randomBytes)
    // Automatic confirmation skips the owner, so one address suffices, as in Supabase Auth.
    accounts.confirmsBothAddresses =
        settings.auth.mail?.confirmsBothAddresses != false && !settings.auth.confirmsAutomatically
    // If mail proves no addresses, strangers could cause notices to other people.
    let notices = settings.auth.mail?.notices ?? []
    // A delayed removal needs the mail that warns the owner.
    let waits: Set<MailKind> = settings.factors.removalDelay == nil ? [] : [.factorRemoval]
    accounts.notices = MailNotices(
        kinds: notices.union(waits), needsProof: settings.auth.confirmsAutomatically,
        reportPage: settings.auth.deviceReportPage)
    accounts.retention = settings.retention
    accounts.factorRules = settings.factors
    accounts.tokenRoom = settings.auth.tokenRoom
    accounts.offersPasskeys = settings.auth.passkeys != nil
    accounts.mailsLinkCodes = settings.auth.mail != nil && settings.auth.allowsEmail
    if settings.hooks.hooks[.beforeUserCreated] != nil { accounts.admission = .asks }
    accounts.mailsChangesTogether = settings.hooks.hooks[.sendEmail] != nil
    return accounts.telling(settings.hooks.webhooks, written: eventsWritten)
}

extension ServerSettings {
    /// nil without passkeys and WebAuthn factors.
    package var wellKnownFiles: WellKnownFiles? {
        guard parts.contains(.auth) else { return nil }
        return auth.identity.map { WellKnownFiles($0, accountPage: pages?.passkeys) }
    }

    package var pagesOrigin: String? { pages?.origin }
}

func makeHooks(_ settings: ServerSettings, _ tracer: Tracer?, _ world: World) -> Hooks? {
    let configuration = settings.hooks
    guard !configuration.hooks.isEmpty else { return nil }
    let calls = SignedCalls(configuration.rule, world, tracer: tracer, continuesTrace: true)
    return Hooks(configuration.hooks, logger: world.logger, send: calls.send)
}

func makeCaptcha(_ settings: ServerSettings, _ tracer: Tracer?, _ world: World) -> Captcha? {
    let calls = SignedCalls(settings.outgoing, world, tracer: tracer)
    return settings.captcha.map { Captcha(url: $0.url, secret: $0.secret, send: calls.send) }
}

func makeBreachedPasswords(
    _ settings: ServerSettings, _ tracer: Tracer?, _ world: World
) -> BreachedPasswords? {
    let calls = makeProviderCalls(settings, tracer, world)
    return settings.breachedPasswordsURL.map { BreachedPasswords(url: $0, send: calls.send) }
}

private func makeProviderCalls(_ settings: ServerSettings, _ tracer: Tracer?, _ world: World) -> ProviderCalls {
    ProviderCalls(rule: settings.outgoing, http: world.http, tracer: tracer, resolve: world.resolve)
}

/// nil unless the OAuth server reads them.
func makeClientDocuments(_ settings: ServerSettings, _ tracer: Tracer?, _ world: World) -> ClientDocuments? {
    guard settings.auth.oauth?.readsDocuments == true else { return nil }
    return ClientDocuments(send: makeProviderCalls(settings, tracer, world).send)
}

func makeWebhooks(_ settings: ServerSettings, _ runtime: ServerRuntime, _ world: World) -> Webhooks? {
    let calls = SignedCalls(settings.hooks.rule, world, tracer: runtime.tracer, continuesTrace: true)
    let made = Webhooks(
        settings.hooks.webhooks, logger: world.logger, chance: world.chance, send: calls.send)
    guard let webhooks = made else { return nil }
    let metrics = runtime.metrics
    metrics.gauge("gatehouse_webhooks_queued", "Events that wait.", label: "endpoint") { webhooks.backlog.counts }
    metrics.gauge(
        "gatehouse_webhooks_oldest_seconds", "The age of the oldest event that waits.", label: "endpoint"
    ) { webhooks.backlog.ages(at: world.now()) }
    return webhooks
}

/// nil without a way to send mail.
func makeMailer(
    _ settings: ServerSettings, _ database: any Database, _ runtime: ServerRuntime, _ world: World
) -> Mailer? {
    let deliver = settings.hooks.hooks[.sendEmail] == nil ? makeMailDelivery(settings, runtime.tracer, world) : nil
    guard let mail = settings.auth.mail, deliver != nil || settings.hooks.hooks[.sendEmail] != nil else { return nil }
    let server = settings.mail?.server
    let mailer = Mailer(
        interval: mail.interval, connections: server?.connections ?? 4,
        // A second attempt follows if the server closed a kept connection.
        attemptLimit: (server?.timeLimit ?? .seconds(120)) * 2, shared: sharedCounts(settings, database),
        chance: world.chance, deliver: deliver)
    runtime.metrics.gauge("gatehouse_mails_queued", "Mails that wait.") { Double(mailer.backlog.count) }
    runtime.metrics.gauge("gatehouse_mails_oldest_seconds", "The age of the oldest mail that waits.") {
        mailer.backlog.age(at: world.now())
    }
    return mailer
}

/// nil without a way to send text messages.
func makeTexter(
    _ settings: ServerSettings, _ database: any Database, _ tracer: Tracer?, _ world: World
) -> Mailer? {
    guard let rules = settings.auth.texts else { return nil }
    let hasHook = settings.hooks.hooks[.sendSMS] != nil
    let provider = hasHook || world.texts != nil ? nil : makeTextDelivery(settings, tracer, world)
    let folder = settings.mailFolder.map { MailFolder(path: $0, now: world.now).deliver }
    let deliver = hasHook ? nil : world.texts ?? provider?.deliver ?? folder
    guard hasHook || deliver != nil else { return nil }
    var texter = Mailer(
        interval: rules.interval, bucket: Mailer.textIntervalBucket, attemptLimit: .seconds(30),
        shared: sharedCounts(settings, database), chance: world.chance, deliver: deliver)
    texter.checkCode = provider?.check
    return texter
}

private func makeTextDelivery(_ settings: ServerSettings, _ tracer: Tracer?, _ world: World) -> TextDelivery? {
    guard let texts = settings.texts, let writer = settings.textWriter else { return nil }
    let carrier = TextCarrier(texts, transport: makeProviderCalls(settings, tracer, world).send)
    return TextDelivery(carrier: carrier, writer: writer, logger: world.logger)
}

private func makeMailDelivery(
    _ settings: ServerSettings, _ tracer: Tracer?, _ world: World
) -> (@Sendable (OutgoingMail) async -> MailResult)? {
    if let mail = world.mail { return mail }
    if let folder = settings.mailFolder { return MailFolder(path: folder, now: world.now).deliver }
    guard let sender = world.mailKeeper?.sender ?? settings.mail?.sender, let writer = settings.mailWriter,
        let hand = world.mailKeeper?.keep ?? settings.mail.map({ makeMailHand($0.server, tracer) })
    else { return nil }
    let site = URLParts(settings.auth.redirects.siteURL)?.host
    return MailCarrier(
        writer: writer, sender: sender, appName: sender.name ?? site ?? sender.address.domain, now: world.now,
        randomBytes: world.randomBytes, hand: hand
    ).deliver
}

func makeKeyRing(
    _ settings: ServerSettings, _ secrets: ServerSecrets, _ database: any Database, _ world: World
) -> KeyRing {
    var sources = KeySources()
    sources.store = SigningKeys(database: database, secrets: secrets, randomBytes: world.randomBytes)
    sources.imported = settings.tokens.imported
    sources.sharedSecret = settings.tokens.sharedSecret
    sources.signsWithSharedSecret = settings.tokens.signsWithSharedSecret
    return KeyRing(sources, tokenLifetime: settings.auth.accessTokenLifetime, now: world.now) { .newES256() }
}

/// One thread per core unless configured.
func makeHasher(_ settings: ServerSettings, _ runtime: ServerRuntime, _ world: World) -> PasswordHasher {
    let durations = runtime.metrics.histogram(
        "gatehouse_password_hash_duration_seconds", "Seconds of one password hash, without the wait before it.",
        bounds: Histogram.latencyBounds)
    let passwords = PasswordHasher(
        settings: settings.hashCost,
        threads: settings.hashThreads ?? ProcessInfo.processInfo.activeProcessorCount,
        waitingPerThread: settings.hashQueue, randomBytes: world.randomBytes, watch: runtime.tracer?.hashing
    ) { durations.record($0.duration) }
    runtime.metrics.gauge("gatehouse_password_hash_queue", "Passwords that wait for a hashing thread.") {
        Double(passwords.queueDepth)
    }
    return passwords
}

func makeGateway(
    _ settings: ServerSettings, _ world: World, _ profiles: Profiles, _ events: EventRoute?,
    _ authenticate: @escaping ProfileRoutes.Authenticate,
    _ changeProfile: @escaping ProfileRoutes.ChangeProfile,
    _ deleteAccount: @escaping @Sendable (Bearer) async throws -> AccountDeletion
) -> ProfileRoutes {
    ProfileRoutes(
        profiles: profiles, fields: settings.profileFields, authenticate: authenticate, changeProfile: changeProfile,
        deleteAccount: deleteAccount, appScheme: settings.appScheme, clients: settings.clientAccess, events: events,
        now: world.now)
}

/// nil if the server counts no events.
func makeEventRoute(
    _ settings: ServerSettings, _ tally: EventTally, _ metrics: ServerMetrics, _ world: World
) -> EventRoute? {
    guard settings.countsEvents else { return nil }
    // A standalone gateway does not know its issuer's providers.
    let providers = settings.secrets == nil ? ["apple", "google"] : settings.providers.map(\.settings.name)
    return EventRoute(
        tally, counting: CountedNames(providers: providers, apps: settings.countedApps), metrics: metrics,
        now: world.now)
}

func makeRemoteGateway(
    _ settings: ServerSettings, _ issuer: RemoteIssuer, _ events: EventRoute?, _ runtime: ServerRuntime, _ world: World
) -> [RouteTable] {
    let check = BearerCheck(
        issuers: [issuer.settings.issuer], audiences: [settings.audience], cache: VerifiedTokenCache(),
        now: world.now, remoteKeys: RemoteKeySet(now: world.now, fetch: issuer.fetchKeys))
    let gateway = makeGateway(
        settings, world, issuer.profiles, events, check.bearer, issuer.change, issuer.delete)
    return gateway.tables(runtime: runtime, crossOrigin: CrossOriginPolicy(additionalHeaders: settings.allowedHeaders))
}

/// - Throws: ``ProviderSettingsProblems`` for a forbidden URL, which validated settings never have.
func makeProviders(
    _ settings: ServerSettings, _ tracer: Tracer?, _ world: World
) throws(ProviderSettingsProblems) -> SignInProviders {
    let calls = makeProviderCalls(settings, tracer, world)
    var providers: [SignInProvider] = []
    for configured in settings.providers {
        let provider = try OpenIDProvider(
            configured.settings, rule: settings.outgoing, now: world.now, transport: calls.send)
        providers.append(
            SignInProvider(
                provider, linking: configured.linking, address: configured.address,
                redirectURL: configured.redirectURL))
    }
    return SignInProviders(providers)
}

func makeRuntime(
    _ settings: ServerSettings, _ world: World, _ database: any Database, _ metrics: ServerMetrics,
    _ tracer: Tracer?, _ bodies: BodyBudget
) -> ServerRuntime {
    let rates = settings.rates.map { Limits.all($0) + ProfileRoutes.limits + WebPages.limits }
    return ServerRuntime(
        now: world.now, uptime: world.uptime, sleep: world.sleep, makeRequestID: world.requestID, metrics: metrics,
        requests: RequestLog(report: world.requestAnswered), tracer: tracer,
        limiter: rates.map { RateLimiter($0, shared: sharedCounts(settings, database)) },
        clientAddress: settings.clientAddress, callers: settings.callers, bodies: bodies,
        requestTimeLimit: settings.requestTimeLimit, foreseen: refusalOfOutage)
}
