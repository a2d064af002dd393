import GatehouseWire
package import HTTPTypes

extension HTTPFields {
    /// The token of `Authorization: Bearer …` (RFC 6750 §2.1), parsed as Supabase Auth does: any case of the scheme,
    /// exactly one space, no whitespace in the token. nil otherwise, and for duplicate headers.
    package var bearerToken: String? {
        guard var value = self[.authorization] else { return nil }
        let isWellFormed = value.withUTF8 { bytes in
            guard bytes.count > 7, bytes.prefix(7).elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 }) else {
                return false
            }
            for position in 7..<bytes.count where bytes[position] <= 0x20 || bytes[position] >= 0x7F { return false }
            return true
        }
        return isWellFormed ? String(value.dropFirst(7)) : nil
    }
}
