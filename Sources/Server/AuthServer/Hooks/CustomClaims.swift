import AccountDomain
import GatehouseWire

struct CustomClaims {
    /// Claims that our own checks rely on. Supabase Auth lets a hook change them.
    private static let fixed = [
        "iss", "sub", "iat", "session_id", "session_kind", "aal", "is_anonymous", "refresh_counter", "cnf",
    ]
    private static let ofClients = ["client_id", "scope", "aud", "jti"]
    private static let texts = ["email", "phone", "role"]
    private static let objects = ["app_metadata", "user_metadata"]

    let bytes: [UInt8]
    /// In seconds since 1970.
    let expiresAt: Int64

    /// - Parameters:
    ///   - own: As shown to the hook.
    ///   - room: Longer tokens do not fit into a header.
    /// - Throws: ``HookFailure/malformed(_:)`` if a required claim is missing, mistyped or must not change.
    init(_ answer: AuthJSONObject, own: AuthJSONObject, within room: TokenRoom) throws(HookFailure) {
        guard let claims = answer["claims"]?.objectValue else { throw .malformed("output claims field is missing") }
        for name in Self.fixed where claims[name] != own[name] {
            throw .malformed("the claim \(name) is missing or was changed")
        }
        // An OAuth client's token has only what the user approved.
        let isClient = own["client_id"] != nil
        for name in Self.ofClients where isClient && claims[name] != own[name] {
            throw .malformed("the claim \(name) is missing or was changed")
        }
        for name in Self.texts where !isClient && claims[name]?.stringValue == nil {
            throw .malformed("\(name) must be a text")
        }
        for name in Self.objects where claims[name].map({ $0.objectValue == nil }) == true {
            throw .malformed("\(name) must be an object")
        }
        guard Self.isAudience(claims["aud"]) else { throw .malformed("aud must be a text or a list of texts") }
        if let methods = claims["amr"], methods.arrayValue == nil { throw .malformed("amr must be a list") }
        if let identifier = claims["jti"], identifier.stringValue == nil { throw .malformed("jti must be a text") }
        if let start = claims["nbf"], start.intValue == nil { throw .malformed("nbf must be a number") }
        // Keys and revocations are kept only for the lifetime of the server's own tokens.
        guard let end = claims["exp"]?.intValue, let longest = own["exp"]?.intValue, end <= longest,
            let beginning = own["iat"]?.intValue, end > beginning
        else { throw .malformed("exp is missing, past or later than the server's") }
        var writer = JSONWriter(capacity: 1_024)
        writer.value(.object(claims))
        guard writer.bytes.count <= room.claimBytes else {
            throw .malformed("the claims are longer than \(room.claimBytes) bytes (access_token_max_bytes)")
        }
        (bytes, expiresAt) = (writer.bytes, end)
    }

    private static func isAudience(_ claim: AuthJSON?) -> Bool {
        if let list = claim?.arrayValue { return !list.isEmpty && list.allSatisfy { $0.stringValue != nil } }
        return claim?.stringValue != nil
    }
}
