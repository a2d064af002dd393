import GatehouseWire

/// An issuer with a place for the tenant's id, as in Microsoft's discovery document for all tenants:
/// `https://login.microsoftonline.com/{tenantid}/v2.0`.
struct TenantIssuer: Sendable {
    private static let place = "{tenantid}"

    private let start: String
    private let end: String

    /// - Returns: nil for an issuer without the place.
    init?(_ issuer: String) {
        guard let range = issuer.firstRange(of: Self.place) else { return nil }
        (start, end) = (String(issuer[..<range.lowerBound]), String(issuer[range.upperBound...]))
    }

    /// The tenant's id, a UUID; nil for any other issuer.
    func tenant(of issuer: String) -> String? {
        guard issuer.hasPrefix(start), issuer.hasSuffix(end) else { return nil }
        let middle = issuer.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        let isUUID =
            middle.count == 36
            && middle.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.isLowerHexadecimal
            }
        return isUUID ? String(Substring(middle)) : nil
    }
}

extension UInt8 {
    fileprivate var isLowerHexadecimal: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}
