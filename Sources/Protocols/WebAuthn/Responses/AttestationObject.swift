import GatehouseWire

/// §6.5.4. Not verified.
package struct AttestationObject: Sendable {
    /// nil for an unregistered format.
    package let format: AttestationFormat?
    package let authenticatorData: AuthenticatorData
    let statement: CBORValue

    package init(_ bytes: [UInt8]) throws(CeremonyFailure) {
        let value: CBORValue
        do { value = try CBORReader.read(bytes[...]) } catch { throw Self.failure("CBOR: \(error)") }
        guard let map = value.mapValue else { throw Self.failure("no map") }
        guard map.count == 3, let format = map["fmt"]?.textValue, let statement = map["attStmt"],
            let data = map["authData"]?.bytesValue
        else { throw Self.failure("fmt, attStmt or authData is missing, or there are others") }
        self.format = AttestationFormat(format)
        self.statement = statement
        authenticatorData = try AuthenticatorData(data)
        guard authenticatorData.credential != nil else { throw Self.failure("no attested credential data") }
    }

    private static func failure(_ cause: String) -> CeremonyFailure {
        CeremonyFailure(.form, "attestation object: \(cause)")
    }
}
