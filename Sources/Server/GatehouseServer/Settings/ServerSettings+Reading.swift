import AccountDomain
import AuthServer
import Foundation
import GatehouseWire
import HTTPServing
import JSONWebTokens
import Logging
import PostgresDriver
import ProfileGateway
import WebPages

/// For `serve --only`.
package enum ServedPart: String, CaseIterable, Sendable {
    case auth, gateway, pages
}

extension ServerSettings {
    /// - Parameters:
    ///   - parts: A standalone gateway must know its issuer.
    ///   - used: The settings that the caller uses, nil for all. Others may be missing or invalid, but unknown names
    ///     are always refused.
    /// - Throws: ``SettingsProblems`` with every invalid value.
    package init(
        _ given: GivenSettings, parts: Set<ServedPart> = Set(ServedPart.allCases), using used: Set<Setting>? = nil
    ) throws(SettingsProblems) {
        var reader = SettingsReader(given)
        reader.refuseUnknownNames()
        let general = reader.problems.filter { !$0.concerns(Setting.allCases) }
        self = Self.read(&reader, parts)
        let problems = reader.problems.filter { problem in
            used.map { general.contains(problem) || problem.concerns(Array($0)) } ?? true
        }
        guard problems.isEmpty else { throw SettingsProblems(problems) }
        shown = ShownSetting.all(given)
    }

    private static func read(_ reader: inout SettingsReader, _ parts: Set<ServedPart>) -> Self {
        // Pages alone call an Auth API elsewhere.
        let location = parts == [.pages] ? nil : reader.location()
        let secrets = parts == [.gateway] ? nil : reader.serverSecrets()
        let tokens = reader.tokens()
        var auth = reader.auth(isRequired: parts != [.gateway])
        let (pages, brandingFiles) = reader.accountPages(&auth, parts)
        auth.oauth = parts.contains(.auth) ? reader.oauthRules(auth, pages) : nil
        let clients = reader.clientAccess(&auth, parts)
        auth.prefixes = reader.authPrefixes()
        let outgoing = reader.outgoing()
        // A standalone gateway has no accounts, so no providers.
        let providers = parts.contains(.auth) ? reader.providers(auth, outgoing) : []
        return Self(
            parts: parts, auth: auth, listen: reader.mainAddress(), metricsListen: reader.listenAddress(.metricsListen),
            servesAPIDocument: reader.flag(.openAPI), authPrefixes: auth.prefixes, providers: providers,
            outgoing: outgoing, hooks: parts.contains(.auth) ? reader.hookConfiguration() : HookConfiguration(),
            captcha: parts.contains(.auth) ? reader.captcha(outgoing) : nil,
            mail: parts.contains(.auth) ? reader.mail() : nil,
            texts: parts.contains(.auth) ? reader.textProvider() : nil,
            textWriter: parts.contains(.auth) ? reader.textWriter(siteURL: auth.redirects.siteURL) : nil,
            database: location ?? DatabaseLocation(path: ""), secrets: secrets, tokens: tokens,
            sessions: reader.sessions(), retention: reader.retention(), audience: reader.text(.jwtAudience) ?? "",
            role: reader.text(.jwtRole) ?? "", rates: reader.rates(), mailFolder: reader.text(.mailFolder),
            clientAddress: reader.clientAddress(), requestTimeLimit: reader.duration(.requestDuration) ?? .seconds(10),
            allowedHeaders: reader.list(.corsAllowedHeaders), hashQueue: reader.number(.hashQueue),
            hashThreads: reader.given[.hashThreads].map { _ in reader.number(.hashThreads) },
            hashCost: reader.hashCost(), breachedPasswordsURL: reader.breachedPasswords(outgoing),
            appScheme: reader.appScheme(), clientAccess: clients,
            mailWriter: parts.contains(.auth) ? reader.mailWriter() : nil,
            profileFields: parts.contains(.gateway) ? reader.profileFields() : ConfiguredFields(),
            pages: pages, brandingFiles: brandingFiles,
            console: parts.contains(.auth) ? reader.console(.init(external: auth.externalURL)) : nil,
            countsEvents: reader.flag(.telemetry), countedApps: reader.countedApps(),
            issuer: parts == [.gateway] ? reader.remoteIssuer() : nil,
            traces: reader.traces(), logLevel: reader.logLevel(), logFormat: reader.logFormat(),
            factors: reader.factorRules(of: auth))
    }
}

extension SettingsReader {
    /// The Auth API needs their URL.
    fileprivate mutating func accountPages(
        _ auth: inout AuthSettings, _ parts: Set<ServedPart>
    ) -> (PageSettings?, BrandingFiles?) {
        var pages = parts == [.gateway] ? nil : pages(.init(external: auth.externalURL), parts)
        let files = brandingFiles(&pages)
        if let pages {
            auth.accountPages = pages.signIn
            auth.linkPageBrand = LinkPageBrand(pages)
            auth.recoveryPage = pages.recovery
            auth.invitationPage = pages.invitation
            auth.redirects = [pages.callback, pages.recovery, pages.invitation].reduce(auth.redirects) { $0.adding($1) }
            auth.connectedAppsPage = pages.connectedApps
            auth.deviceReportPage = pages.deviceReport
        }
        return (pages, files)
    }

    fileprivate mutating func mainAddress() -> ListenAddress {
        let port = number(.port)
        let whole = listenAddress(.listen)
        return whole ?? ListenAddress(host: text(.host) ?? "127.0.0.1", port: port)
    }

    fileprivate mutating func location() -> DatabaseLocation? {
        let connections = number(.databaseConnections)
        guard var text = required(.database, "expected the path of the SQLite file or a postgres:// URL") else {
            return nil
        }
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            guard ConnectionURL.hasLibrary else {
                refuse(.database, ConnectionURL.missingLibrary)
                return nil
            }
            // Ignored: libpq's error may contain the password.
            guard (try? ConnectionURL(text)) != nil else {
                refuse(.database, "expected a URL such as postgres://user@host/database?sslmode=verify-full")
                return nil
            }
            return DatabaseLocation(server: Secret(text), connections: connections)
        }
        if text.hasPrefix("sqlite:") { text.removeFirst("sqlite:".count) }
        guard !text.isEmpty, !text.contains("://") else {
            refuse(.database, "expected the path of an SQLite file, sqlite:PATH or a postgres:// URL")
            return nil
        }
        return DatabaseLocation(path: text)
    }

    fileprivate mutating func authPrefixes() -> [String] {
        let usual = "/auth/v1"
        guard given.has(.authPaths) else {
            // Our links begin with `external_url`. A proxy may map other paths.
            let path = given[.externalURL].flatMap { URL(string: $0.text)?.path } ?? usual
            let external = path.hasSuffix("/") ? String(path.dropLast()) : path
            return external != usual && Self.isFreePath(external) ? [external, usual] : [usual]
        }
        let prefixes = list(.authPaths).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        guard prefixes.allSatisfy(Self.isFreePath), !prefixes.isEmpty, Set(prefixes).count == prefixes.count else {
            refuse(
                .authPaths,
                "expected different paths such as /auth/v1 or /, and none of /v1, /api/v1, /account and /console")
            return [usual]
        }
        return prefixes
    }

    /// Not a path of the gateway or the pages.
    private static func isFreePath(_ path: String) -> Bool {
        guard !["/v1", "/api/v1", "/account", "/console"].contains(path) else { return false }
        return path.isEmpty || (path.hasPrefix("/") && !path.contains("//") && path.utf8.allSatisfy(isPathByte))
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    fileprivate mutating func sessions() -> SessionPolicy {
        let inactivity = duration(.sessionInactivity)
        return SessionPolicy(
            timebox: duration(.sessionTimebox), inactivity: inactivity == .zero ? nil : inactivity,
            reuseInterval: .seconds(number(.refreshReuseInterval)),
            revokesOnReuse: flag(.refreshRotation), isStrict: flag(.refreshStrict),
            freshSignIn: duration(.freshSignIn), lowLevel: duration(.lowLevelLimit))
    }

    fileprivate mutating func rates() -> AuthRates? {
        var rates = AuthRates()
        rates.token = number(.rateTokenRefresh)
        rates.otp = number(.rateOTP)
        rates.verify = number(.rateVerify)
        rates.mails = number(.rateMails)
        rates.texts = number(.rateTexts)
        rates.textsDaily = number(.rateTextsDaily)
        rates.textsToRange = number(.rateTextsToRange)
        rates.textsToCountry = number(.rateTextsToCountry)
        rates.authorize = number(.rateAuthorize)
        rates.passkey = number(.ratePasskey)
        rates.anonymousUsers = number(.rateAnonymous)
        rates.factors = number(.rateFactors)
        rates.failedSignIns = number(.rateFailedSignIns)
        return flag(.limits) ? rates : nil
    }

    fileprivate mutating func clientAddress() -> ClientAddressRule {
        let proxies = networks(.trustedProxies)
        let anyonesHeader = given[.rateHeader] == nil ? nil : addressHeader(.rateHeader)
        let proxyHeader = addressHeader(.proxyHeader)
        if given[.proxyHeader] != nil, proxyHeader != nil, list(.trustedProxies).isEmpty {
            refuse(
                .proxyHeader,
                "requires the proxy's network in \(Setting.trustedProxies.environmentName)")
        }
        if !proxies.isEmpty {
            let header = given[.proxyHeader] == nil ? anyonesHeader ?? proxyHeader : proxyHeader
            return ClientAddressRule(header.map { .header($0, from: proxies) } ?? .peer)
        }
        return ClientAddressRule(anyonesHeader.map { .headerFromAnyone($0) } ?? .peer)
    }

    fileprivate mutating func appScheme() -> AppScheme? {
        guard let text = text(.appScheme) else { return nil }
        if let scheme = AppScheme(text) { return scheme }
        refuse(.appScheme, "expected a URL scheme of your own such as boxscore, without ://")
        return nil
    }

    fileprivate mutating func logLevel() -> Logger.Level {
        guard let level = text(.logLevel).flatMap({ Logger.Level(rawValue: $0.lowercased()) }) else {
            refuse(.logLevel, "expected one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))
            return .info
        }
        return level
    }

    fileprivate mutating func logFormat() -> LineLogHandler.Format {
        choice(.logFormat, ["json": .json, "console": .console]) ?? .json
    }
}
