import Crypto
package import GatehouseWire

/// `CollectedClientData` (§5.8.1).
package struct ClientData: Sendable {
    package enum Kind: Sendable {
        case create
        case get
    }

    package let kind: Kind?
    package let challenge: [UInt8]
    package let origin: String
    package let isCrossOrigin: Bool
    /// The top-level page's, if it is another site.
    package let topOrigin: String?
    package let hash: [UInt8]

    /// Ignores unknown members, as §5.8.1 requires, and refuses duplicates. null is treated as absent.
    package init(_ bytes: [UInt8]) throws(CeremonyFailure) {
        guard bytes.count <= ResponseMembers.maximumLength else { throw Self.failure("too long") }
        // §7.1 step 5: "UTF-8 decode", which drops a byte order mark.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        // Ignored: the reader's error can quote names from the text.
        guard let members = (try? JSONReader.read(text, refusesDuplicates: true))?.objectValue else {
            throw Self.failure("no JSON object")
        }
        guard let type = members["type"]?.stringValue, let origin = members["origin"]?.stringValue,
            let challenge = members["challenge"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { throw Self.failure("type, challenge or origin is missing or of another type") }
        kind = type == "webauthn.create" ? .create : type == "webauthn.get" ? .get : nil
        (self.challenge, self.origin) = (challenge, origin)
        isCrossOrigin = try Self.crossOrigin(members["crossOrigin"])
        topOrigin = try Self.topOrigin(members["topOrigin"])
        hash = Array(SHA256.hash(data: bytes))
    }

    private static func crossOrigin(_ member: AuthJSON?) throws(CeremonyFailure) -> Bool {
        guard let member, !member.isNull else { return false }
        guard let value = member.boolValue else { throw failure("crossOrigin is no boolean") }
        return value
    }

    private static func topOrigin(_ member: AuthJSON?) throws(CeremonyFailure) -> String? {
        guard let member, !member.isNull else { return nil }
        guard let text = member.stringValue else { throw failure("topOrigin is no text") }
        return text
    }

    private static func failure(_ cause: String) -> CeremonyFailure { CeremonyFailure(.form, "client data: \(cause)") }
}
