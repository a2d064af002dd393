import Crypto
public import Gatehouse

/// Binds a provider's token to one sign-in: the provider gets ``hashed``, the server ``raw`` (OpenID Connect Core 1.0
/// §3.1.3.7).
///
/// The server refuses a stolen token, because it does not contain the hash. Create one for each sheet.
///
/// ```swift
/// let nonce = SignInNonce()
/// request.nonce = nonce.hashed
/// // After the sheet:
/// let credentials = IDTokenCredentials(provider: .apple, idToken: idToken, nonce: nonce.raw)
/// ```
public struct SignInNonce: Hashable, Sendable {
    /// For the server, as the `nonce` of the credentials.
    public let raw: String

    /// Creates a nonce of 32 random bytes, as 43 characters.
    ///
    /// - Parameter randomness: Returns cryptographically secure random bytes.
    public init(randomness: (Int) -> [UInt8] = SystemDefaults.randomBytes) { raw = Base64URL.text(randomness(32)) }

    /// Creates a nonce from a known value, for tests.
    public init(raw: String) { self.raw = raw }

    /// The SHA-256 of ``raw`` as 64 hexadecimal digits, for the provider's request.
    public var hashed: String { SHA256.hash(data: Array(raw.utf8)).hexadecimal }
}
