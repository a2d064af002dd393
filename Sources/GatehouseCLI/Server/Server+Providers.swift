import AuthServer
import HTTPServing
import IdentityProviders
import Logging

/// Creates the configured sign-in providers.
///
/// - Throws: ``ProviderSettingsProblems`` for a forbidden URL. Validated settings contain none.
func makeProviders(_ settings: ServerSettings) throws(ProviderSettingsProblems) -> SignInProviders {
    let calls = ProviderCalls(rule: settings.outgoing)
    var providers: [SignInProvider] = []
    for configured in settings.providers {
        let provider = try OpenIDProvider(
            configured.settings, rule: settings.outgoing, now: System.now, transport: calls.send)
        providers.append(
            SignInProvider(
                provider, linking: configured.linking, address: configured.address,
                redirectURL: configured.redirectURL))
    }
    return SignInProviders(providers)
}

extension Repeating {
    /// Processes the outbox, for example revokes provider tokens.
    static func outbox(_ door: AuthServer, _ logger: Logger) -> Repeating {
        let hidden = HiddenFailures(find: door.hiddenProviderFailures) { name, failures in
            guard !failures.isEmpty else { return logger.event(.notice, "provider reachable again", [.name: name]) }
            logger.event(
                .warning, "provider unreachable, using cached documents",
                [.name: name, .cause: failures.map { "\($0)" }.joined(separator: "; ")])
        }
        return Repeating(every: .seconds(10), sleep: System.sleep) {
            let count = try await door.workOutbox(logger: logger)
            await hidden.look()
            return count
        } failed: { error in
            logger.event(.error, "outbox could not be processed", [.cause: "\(error)"])
        }
    }

    /// Reads which sessions ended and which users were blocked on other nodes.
    static func watch(_ watch: RevocationWatch, _ logger: Logger) -> Repeating {
        Repeating(every: .seconds(1), sleep: System.sleep) {
            try await watch.look()
            return 0
        } failed: { error in
            logger.event(.error, "ended sessions could not be read", [.cause: "\(error)"])
        }
    }

    /// Deletes expired rows.
    static func purge(_ door: AuthServer, _ logger: Logger) -> Repeating {
        Repeating(every: .seconds(600), sleep: System.sleep, work: door.purgeExpired) { error in
            logger.event(.error, "expired rows could not be deleted", [.cause: "\(error)"])
        }
    }

    /// Deletes sessions that ended long ago, a few at a time.
    static func sweep(_ door: AuthServer, _ logger: Logger) -> Repeating {
        Repeating(every: .seconds(600), sleep: System.sleep) {
            _ = try await door.removeEndedSessions()
            return 0
        } failed: { error in
            logger.event(.error, "ended sessions could not be deleted", [.cause: "\(error)"])
        }
    }
}
