package import HTTPTypes

extension HTTPFields {
    /// The token of `Authorization: Bearer …` (RFC 6750 §2.1) as the Auth API reads it (contract 1.2): the scheme in
    /// any case, exactly one space, no blanks in the token. Nil for everything else, two such headers included.
    package var bearerToken: String? {
        guard let value = self[.authorization] else { return nil }
        let utf8 = value.utf8
        guard utf8.count > 7, utf8.prefix(7).elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 }) else { return nil }
        let token = utf8.dropFirst(7)
        guard token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return String(Substring(token))
    }
}
