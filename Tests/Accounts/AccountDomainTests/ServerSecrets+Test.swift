import AccountDomain
import Testing

extension ServerSecrets {
    /// 32 equal bytes each.
    static func of(_ numbers: UInt8..., byte: UInt8? = nil) throws -> ServerSecrets {
        let secrets = numbers.map { (number: $0, bytes: [UInt8](repeating: byte ?? $0, count: 32)) }
        return try #require(ServerSecrets(secrets))
    }
}
