import Crypto
public import Gatehouse

/// Ties a provider's token to one sign-in: the provider gets ``hashed``, the server ``raw`` (requirement E8).
///
/// A token that somebody kept from elsewhere does not hold the hash, and the server refuses it. Make one for each
/// sheet.
public struct SignInNonce: Hashable, Sendable {
    /// For the server, as the `nonce` of the credentials.
    public let raw: String

    /// 32 random bytes as 43 characters.
    ///
    /// - Parameter randomness: As many bytes as asked for, from a generator fit for secrets.
    public init(randomness: (Int) -> [UInt8] = SystemDefaults.randomBytes) { raw = Base64URL.text(randomness(32)) }

    /// One that is known already, as for a test.
    public init(raw: String) { self.raw = raw }

    /// For the provider's request: the SHA-256 of ``raw`` as 64 hexadecimal digits.
    public var hashed: String {
        SHA256.hash(data: Array(raw.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
