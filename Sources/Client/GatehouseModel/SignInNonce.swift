import Crypto
public import Gatehouse

/// Binds a provider's token to one sign-in (OpenID Connect Core 1.0 §3.1.3.7).
///
/// The provider gets ``hashed``, the server ``raw``. Create one for each sheet.
///
/// ```swift
/// let nonce = SignInNonce()
/// request.nonce = nonce.hashed
/// // After the sheet:
/// let credentials = IDTokenCredentials(provider: .apple, idToken: idToken, nonce: nonce.raw)
/// ```
public struct SignInNonce: Hashable, Sendable {
    /// The credentials' `nonce`, for the server.
    public let raw: String

    /// Creates a nonce of 32 random bytes, as 43 characters.
    ///
    /// - Parameter randomness: Returns cryptographically secure bytes.
    public init(randomness: (Int) -> [UInt8] = SystemDefaults.randomBytes) { raw = Base64URL.text(randomness(32)) }

    /// Creates a known nonce, for tests.
    public init(raw: String) { self.raw = raw }

    /// The SHA-256 of ``raw`` in hexadecimal, for the provider.
    public var hashed: String { SHA256.hash(data: Array(raw.utf8)).hexadecimal }
}
