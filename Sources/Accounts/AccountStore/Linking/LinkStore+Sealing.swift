import AccountDomain
import GatehouseWire
import SQLDatabase

extension LinkStore {
    static let flowSeal = "flow"
    static let ticketSeal = "link ticket"

    /// - Parameter digest: Of the row's token. The content opens only in this row.
    func seal(_ content: AuthJSON, as name: String, _ digest: [UInt8]) throws -> [UInt8] {
        try secrets.seal(Array(content.text.utf8), name: Self.sealName(name, digest), nonce: randomBytes(12))
    }

    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
    func unseal(_ sealed: [UInt8], as name: String, _ digest: [UInt8]) throws -> AuthJSON {
        try JSONReader.read(try secrets.open(sealed, name: Self.sealName(name, digest)))
    }

    static func sealName(_ name: String, _ digest: [UInt8]) -> String {
        "\(name) \(Base64URL.text(digest))"
    }
}
