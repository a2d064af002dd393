package import GatehouseWire
import JSONWebTokens

package struct OpenIDProvider: Sendable {
    package let settings: ProviderSettings
    let caller: ProviderCaller
    private let source: MetadataSource
    let keys: RemoteKeySet
    let appleSecrets: AppleClientSecrets?

    /// - Parameter now: For the age of cached documents and keys.
    /// - Throws: ``ProviderSettingsProblems`` for a URL that the rule does not allow.
    package init(
        _ settings: ProviderSettings, rule: OutgoingAddressRule, now: @escaping @Sendable () -> Instant,
        transport: @escaping ProviderTransport
    ) throws(ProviderSettingsProblems) {
        let caller = ProviderCaller(rule: rule, transport: transport)
        try Self.check(settings, rule)
        (self.settings, self.caller) = (settings, caller)
        let metadata: MetadataSource
        switch settings.endpoints {
        case .fixed(let known): metadata = .fixed(known)
        case .discovered(let base):
            let issuer = settings.issuers[0]
            metadata = .discovered(
                CachedDocument(maximumAge: .seconds(3_600), now: now) { _ in
                    try await caller.metadata(below: base, of: issuer)
                })
        }
        source = metadata
        keys = RemoteKeySet(now: now) {
            guard let keys = try await metadata.current().keys else { throw ProviderFailure.notOffered(.keys) }
            return try await caller.keys(at: keys)
        }
        if case .appleKey(let key) = settings.credential {
            appleSecrets = AppleClientSecrets(key)
        } else {
            appleSecrets = nil
        }
    }

    private static func check(
        _ settings: ProviderSettings, _ rule: OutgoingAddressRule
    ) throws(ProviderSettingsProblems) {
        let called: [ProviderURL?] =
            switch settings.endpoints {
            case .discovered(let base): [base]
            case .fixed(let known): [known.keys, known.token, known.userInfo, known.revocation]
            }
        var problems: [ProviderSettingsProblem] = []
        for url in (called + [settings.oauth?.emails?.url]).compactMap(\.self) {
            do { try rule.check(url) } catch { problems.append(.addressRefused(error)) }
        }
        if case .fixed(let known) = settings.endpoints, let url = known.authorization {
            do { try rule.checkForBrowser(url) } catch { problems.append(.addressRefused(error)) }
        }
        guard problems.isEmpty else { throw ProviderSettingsProblems(problems) }
    }

    /// Fetched if unknown or an hour old.
    ///
    /// - Throws: ``ProviderFailure/unavailable(_:_:)`` if the fetch fails and no document is less than a day old; never
    ///   with fixed endpoints.
    package func metadata() async throws(ProviderFailure) -> ProviderMetadata { try await source.current() }

    /// Failures that cached keys or discovery documents hid, for the log.
    package func hiddenFailures() async -> [ProviderFailure] {
        let ofKeys = await keys.lastFailure.map { $0 as? ProviderFailure ?? .unavailable(.keys, .unreadable) }
        return [await source.lastFailure, ofKeys].compactMap(\.self)
    }
}

private enum MetadataSource: Sendable {
    case fixed(ProviderMetadata)
    case discovered(CachedDocument<ProviderMetadata>)

    func current() async throws(ProviderFailure) -> ProviderMetadata {
        switch self {
        case .fixed(let metadata): return metadata
        case .discovered(let document):
            if let metadata = await document.current() { return metadata }
            throw await lastFailure ?? .unavailable(.discovery, .noAnswer(.noConnection("not called")))
        }
    }

    var lastFailure: ProviderFailure? {
        get async {
            guard case .discovered(let document) = self else { return nil }
            return await document.lastFailure as? ProviderFailure
        }
    }
}

struct ProviderCaller: Sendable {
    let rule: OutgoingAddressRule
    let transport: ProviderTransport

    func send(_ request: ProviderRequest, for step: ProviderStep) async throws(ProviderFailure) -> ProviderResponse {
        do { try rule.check(request.url) } catch { throw .unavailable(step, .noAnswer(.addressRefused(error))) }
        let response: ProviderResponse
        do {
            response = try await transport(request)
        } catch {
            throw .unavailable(step, .noAnswer(error as? ProviderTransportFailure ?? .noConnection("\(error)")))
        }
        guard response.body.count <= request.maximumBytes else { throw .unavailable(step, .noAnswer(.tooLong)) }
        return response
    }

    private func document(
        _ url: ProviderURL, maximumBytes: Int, for step: ProviderStep
    ) async throws(ProviderFailure) -> [UInt8] {
        let response = try await send(.get(url, maximumBytes: maximumBytes), for: step)
        guard response.status == 200 else { throw .unavailable(step, .status(response.status)) }
        return response.body
    }

    func keys(at url: ProviderURL) async throws(ProviderFailure) -> [UInt8] {
        try await document(url, maximumBytes: ProviderLimits.keys, for: .keys)
    }

    func metadata(below base: ProviderURL, of issuer: String) async throws(ProviderFailure) -> ProviderMetadata {
        guard let url = base.appending(path: "/.well-known/openid-configuration") else {
            throw .unavailable(.discovery, .malformed("issuer"))
        }
        let document = try await document(url, maximumBytes: ProviderLimits.metadata, for: .discovery)
        do {
            return try ProviderMetadata(document: document, of: issuer, rule: rule)
        } catch {
            throw .unavailable(.discovery, error)
        }
    }

    /// The response is a JSON object or an OAuth error (RFC 6749 §5.2).
    func object(
        _ request: ProviderRequest, for step: ProviderStep
    ) async throws(ProviderFailure) -> AuthJSONObject {
        let response = try await send(request, for: step)
        // Ignored: the status takes precedence over faulty JSON.
        let members = (try? JSONReader.read(response.body))?.objectValue
        try Self.checkRefusal(response.status, members, for: step)
        guard let members else { throw .unavailable(step, .unreadable) }
        return members
    }

    static func checkRefusal(
        _ status: Int, _ members: AuthJSONObject?, for step: ProviderStep
    ) throws(ProviderFailure) {
        guard status != 429, status < 500 else { throw .unavailable(step, .status(status)) }
        // Some providers send errors with status 200.
        if let error = members?["error"]?.stringValue, !error.isEmpty {
            let passing = ["server_error", "temporarily_unavailable"]
            if passing.contains(error) { throw .unavailable(step, .status(status)) }
            let description = members?["error_description"]?.stringValue.map { DisplayText.cut($0, to: 200) }
            throw .refused(step, error: DisplayText.cut(error, to: 64), description: description)
        }
        guard (200..<300).contains(status) else { throw .unavailable(step, .status(status)) }
    }
}
