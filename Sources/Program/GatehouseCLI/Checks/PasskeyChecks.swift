package import AuthServer
package import GatehouseServer
import GatehouseWire
package import IdentityProviders
import WebAuthn

/// Compares the files that browsers and phones look up with the settings.
package struct PasskeyChecks: Sendable {
    package typealias Fetch = @Sendable (ProviderURL) async throws -> ProviderResponse

    private static let name = "passkeys"

    private let identity: AppIdentity
    private let files: WellKnownFiles
    private let pages: String?
    private let fetch: Fetch

    package init(_ identity: AppIdentity, files: WellKnownFiles, pages: String?, fetch: @escaping Fetch) {
        (self.identity, self.files, self.pages, self.fetch) = (identity, files, pages, fetch)
    }

    package init?(_ settings: ServerSettings, calls: ProviderCalls) {
        guard let identity = settings.auth.identity, let files = settings.wellKnownFiles else { return nil }
        self.init(identity, files: files, pages: settings.pagesOrigin, fetch: calls.document)
    }

    package func all() async -> [Finding] {
        var findings: [Finding] = []
        if let pages, !identity.party.origins.contains(where: { $0.text == pages.lowercased() }) {
            findings.append(
                .warning(
                    Self.name, "the account pages at \(pages) are not an origin for passkeys",
                    "add \(pages) to \(Setting.relyingPartyOrigins.environmentName)"))
        }
        // Nothing looks up files on localhost.
        guard identity.party.id != "localhost" else { return findings }
        for file in files.contents {
            if let finding = await check(file.path, expected: file.json) { findings.append(finding) }
        }
        if findings.isEmpty { findings.append(.ok(Self.name, "\(identity.party.id) publishes the required files")) }
        return findings
    }

    /// - Returns: nil if the file says at least what ours does.
    private func check(_ path: String, expected: String) async -> Finding? {
        let address = "https://\(identity.party.id)\(path)"
        let advice =
            "forward \(path) from \(identity.party.id) to this server, or publish there: \(expected)"
        guard let url = ProviderURL(address) else { return nil }
        do {
            let response = try await fetch(url)
            guard response.status == 200 else {
                return missing(path, "\(address) returns status \(response.status)", advice)
            }
            let (published, ours) = (try JSONReader.read(response.body), try JSONReader.read(expected))
            return published.says(ours) ? nil : missing(path, "\(address) lacks entries of the settings", advice)
        } catch {
            return missing(path, "\(address) cannot be read: \(error)", advice)
        }
    }

    /// Apps have no passkeys without their files; the other files are optional.
    private func missing(_ path: String, _ text: String, _ advice: String) -> Finding {
        let hasRelated = identity.party.origins.contains { $0.host.map { !identity.party.covers($0) } ?? false }
        let isNeeded = path == WellKnownFiles.relatedOrigins ? hasRelated : path != WellKnownFiles.passkeyEndpoints
        return isNeeded ? .problem(Self.name, text, advice) : .warning(Self.name, text, advice)
    }
}

extension AuthJSON {
    /// Contains every member and element of the other value.
    fileprivate func says(_ other: AuthJSON) -> Bool {
        if let members = other.objectValue {
            return members.allSatisfy { name, value in self[name]?.says(value) ?? false }
        }
        if let elements = other.arrayValue {
            return elements.allSatisfy { element in arrayValue?.contains { $0.says(element) } ?? false }
        }
        return self == other
    }
}
