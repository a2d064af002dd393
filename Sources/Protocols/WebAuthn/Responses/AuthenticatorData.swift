import GatehouseWire

/// §6.1. Signed by the authenticator.
package struct AuthenticatorData: Sendable {
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let userPresent = Flags(rawValue: 1)
        package static let userVerified = Flags(rawValue: 1 << 2)
        package static let backupEligible = Flags(rawValue: 1 << 3)
        package static let backedUp = Flags(rawValue: 1 << 4)
        package static let attestedData = Flags(rawValue: 1 << 6)
        package static let extensions = Flags(rawValue: 1 << 7)
    }

    /// §6.5.1.
    package struct AttestedCredential: Sendable {
        /// 16 bytes.
        package let aaguid: [UInt8]
        /// At most 65,535 bytes; the ceremony checks the length.
        package let id: [UInt8]
        /// The COSE_Key.
        package let publicKey: [UInt8]
    }

    private static let fixedLength = 37

    package let bytes: [UInt8]
    package let relyingPartyIDHash: [UInt8]
    package let flags: Flags
    package let signCount: UInt32
    package let credential: AttestedCredential?
    /// The extensions' outputs; nil without the flag.
    package let extensions: CBORMap?

    package init(_ bytes: [UInt8]) throws(CeremonyFailure) {
        guard bytes.count >= Self.fixedLength else { throw Self.failure("shorter than 37 bytes") }
        self.bytes = bytes
        relyingPartyIDHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[Self.fixedLength...]
        credential = flags.contains(.attestedData) ? try Self.credential(&rest) : nil
        extensions = flags.contains(.extensions) ? try Self.extensions(&rest) : nil
        guard rest.isEmpty else { throw Self.failure("bytes after its end") }
    }

    private static func credential(_ rest: inout ArraySlice<UInt8>) throws(CeremonyFailure) -> AttestedCredential {
        guard rest.count >= 18 else { throw failure("attested data is truncated") }
        let aaguid = Array(rest.prefix(16))
        let length = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(18)
        guard rest.count >= length else { throw failure("the credential id is truncated") }
        let id = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        let key = rest
        rest = try map(rest).rest
        return AttestedCredential(aaguid: aaguid, id: id, publicKey: Array(key[..<rest.startIndex]))
    }

    private static func extensions(_ rest: inout ArraySlice<UInt8>) throws(CeremonyFailure) -> CBORMap {
        let (outputs, end) = try map(rest)
        rest = end
        return outputs
    }

    private static func map(
        _ bytes: ArraySlice<UInt8>
    ) throws(CeremonyFailure) -> (value: CBORMap, rest: ArraySlice<UInt8>) {
        do {
            let (value, rest) = try CBORReader.readPrefix(bytes)
            guard let map = value.mapValue else { throw failure("no map") }
            return (map, rest)
        } catch let failure as CeremonyFailure {
            throw failure
        } catch {
            throw failure("CBOR: \(error)")
        }
    }

    private static func failure(_ cause: String) -> CeremonyFailure {
        CeremonyFailure(.form, "authenticator data: \(cause)")
    }
}
