import Foundation
package import GatehouseWire

/// A row of `providers.json`: a provider that needs only credentials.
package struct KnownProvider: Sendable {
    /// The provider's name in the API, such as `github`.
    package let name: String
    private let members: AuthJSONObject

    /// Whether an account may be created without an address, because the provider may have none or vouch for none.
    package var isEmailOptional: Bool { members["email_optional"] == true }

    /// All rows by name, in alphabetical order.
    package static let all: [KnownProvider] = {
        // Ignored: the tests read every row.
        guard let rows = try? JSONReader.read(PackageResources.providers_json).objectValue else { return [] }
        return rows.keys.sorted().compactMap { name in
            rows[name]?.objectValue.map { KnownProvider(name: name, members: $0) }
        }
    }()

    /// The provider's settings.
    ///
    /// - Parameters:
    ///   - url: The address of an own installation, or of Microsoft's tenant; nil for the provider's own.
    /// - Throws: ``ProviderSettingsProblems`` without a client id, or for an invalid `url`.
    package func settings(
        clientIDs: [String], credential: ClientCredential, url: String? = nil
    ) throws(ProviderSettingsProblems) -> ProviderSettings {
        if members["issuer"] != nil { return try openID(clientIDs, credential, url) }
        var findings = MemberFindings()
        guard url == nil || ProviderURL(url ?? "") != nil,
            let description = OAuthDescription(members, host: url, findings: &findings)
        else { throw ProviderSettingsProblems([.url(url ?? "")]) }
        return try .oauth(name: name, description, clientIDs: clientIDs, credential: credential)
    }

    /// Microsoft's row. For one tenant, `url` ends with its id.
    private func openID(
        _ clientIDs: [String], _ credential: ClientCredential, _ url: String?
    ) throws(ProviderSettingsProblems) -> ProviderSettings {
        let base = url.map { ($0.hasSuffix("/") ? String($0.dropLast()) : $0) + "/v2.0" }
        let template = members["issuer"]?.stringValue ?? ""
        // Two of Microsoft's names for many tenants.
        let isShared = base.map { $0.hasSuffix("/common/v2.0") || $0.hasSuffix("/organizations/v2.0") } ?? true
        if let base, !isShared, TenantIssuer(template)?.tenant(of: base) == nil, ProviderURL(base)?.isLoopback != true {
            throw ProviderSettingsProblems([.tenant(base)])
        }
        var settings = try ProviderSettings.openID(
            name: name, issuer: isShared ? template : base ?? template, clientIDs: clientIDs, credential: credential,
            discoveryBase: base ?? members["discovery_base"]?.stringValue)
        settings.vouchingClaim = members["email_verified"]?.stringValue
        settings.refusedClaims = members["refused_claims"]?.arrayValue?.compactMap(\.stringValue) ?? []
        settings.isEmailOptional = isEmailOptional
        return settings
    }
}
