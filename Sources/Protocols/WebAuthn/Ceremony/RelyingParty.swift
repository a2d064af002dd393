import Crypto
import GatehouseWire

package struct RelyingParty: Sendable {
    /// A domain in lower case, or `localhost`. Not an IP address.
    package let id: String
    package let name: String
    package let origins: [CeremonyOrigin]
    /// Pages that may embed an origin in a cross-origin frame. Empty refuses such frames, unless ``allowsFrames`` is
    /// set.
    package let topOrigins: [CeremonyOrigin]
    /// Ignores `crossOrigin` and `topOrigin`, as Supabase Auth does.
    package let allowsFrames: Bool
    /// SHA-256 of ``id``.
    let idHash: [UInt8]

    /// - Parameters:
    ///   - id: The site's domain, or a parent domain of each web origin.
    ///   - origins: At least one. Web origins must be in the domain `id`, unless `allowsRelatedOrigins` is set.
    ///   - allowsRelatedOrigins: Browsers look up other domains' web origins at `/.well-known/webauthn` (§5.11).
    package init(
        id: String, name: String, origins: [String], topOrigins: [String] = [], allowsFrames: Bool = false,
        allowsRelatedOrigins: Bool = false
    ) throws(RelyingPartyProblem) {
        let id = id.lowercased()
        guard Self.isDomain(id) else { throw .invalidID }
        guard !origins.isEmpty else { throw .noOrigin }
        self.id = id
        self.name = name
        self.origins = try Self.parsed(origins)
        self.topOrigins = try Self.parsed(topOrigins)
        self.allowsFrames = allowsFrames
        idHash = Array(SHA256.hash(data: Array(id.utf8)))
        guard !allowsRelatedOrigins else { return }
        for origin in self.origins {
            guard let host = origin.host, !covers(host) else { continue }
            throw .foreignOrigin(origin.text)
        }
    }

    /// - Parameter host: In lower case.
    package func covers(_ host: String) -> Bool { host == id || host.hasSuffix("." + id) }

    private static func parsed(_ texts: [String]) throws(RelyingPartyProblem) -> [CeremonyOrigin] {
        var origins: [CeremonyOrigin] = []
        for text in texts {
            guard let origin = CeremonyOrigin(text) else { throw .invalidOrigin(text) }
            origins.append(origin)
        }
        return origins
    }

    /// The last label begins with a letter, unlike an IPv4 address's.
    private static func isDomain(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let first = labels.last?.first, first.isLetter else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isLowerAlphanumeric || $0 == UInt8(ascii: "-") }
        }
    }
}

package enum RelyingPartyProblem: Error, Equatable, Sendable {
    case invalidID
    case noOrigin
    case invalidOrigin(String)
    /// A web origin outside the RP ID's domain.
    case foreignOrigin(String)
}
