import GatehouseWire

/// Structure of attestation statements (§8), and verification of those without certificates.
///
/// We request no attestation, so no trust chain is evaluated. A self attestation is verified: its signature shows that
/// the authenticator holds the key.
struct AttestationStatement {
    private static let maximumCertificates = 10

    let format: AttestationFormat
    let value: CBORValue

    func verify(key: CredentialPublicKey, signed: [UInt8]) throws(CeremonyFailure) {
        guard format != .compound else { return try verifyCompound(key, signed) }
        guard let members = value.mapValue else { throw Self.failure("no map") }
        switch format {
        case .none: try require(members.count == 0, "members in a statement without attestation")
        case .packed: try verifyPacked(members, key, signed)
        case .tpm: try verifyTPM(members)
        case .androidKey:
            try require(hasAlgorithmAndSignature(members) && members.count == 3, "members of android-key")
            try requireCertificates(members)
        case .androidSafetyNet:
            try require(
                members.count == 2 && members["ver"]?.textValue != nil && members["response"]?.bytesValue != nil,
                "members of android-safetynet")
        case .fidoU2F:
            try require(members.count == 2 && members["sig"]?.bytesValue != nil, "members of fido-u2f")
            try requireCertificates(members, exactly: 1)
        case .apple:
            try require(members.count == 1, "members of apple")
            try requireCertificates(members)
        case .compound: return
        }
    }

    /// §8.2: "x5c" for basic attestation; otherwise the credential's own key signed.
    private func verifyPacked(
        _ members: CBORMap, _ key: CredentialPublicKey, _ signed: [UInt8]
    ) throws(CeremonyFailure) {
        guard let algorithm = members["alg"]?.integerValue, let signature = members["sig"]?.bytesValue else {
            throw Self.failure("members of packed")
        }
        guard members["x5c"] == nil else {
            try require(members.count == 3, "members of packed")
            return try requireCertificates(members)
        }
        try require(members.count == 2, "members of packed")
        try require(algorithm == key.algorithm.rawValue, "the algorithm of a self attestation is not the key's")
        try require(key.isValid(signature, for: signed), "the signature of a self attestation is wrong")
    }

    /// §8.3.
    private func verifyTPM(_ members: CBORMap) throws(CeremonyFailure) {
        try require(
            members.count == 6 && members["ver"]?.textValue == "2.0" && hasAlgorithmAndSignature(members)
                && members["certInfo"]?.bytesValue != nil && members["pubArea"]?.bytesValue != nil, "members of tpm")
        try requireCertificates(members)
    }

    /// §8.9: two or more statements of other formats.
    private func verifyCompound(_ key: CredentialPublicKey, _ signed: [UInt8]) throws(CeremonyFailure) {
        guard let elements = value.arrayValue, (2...maximumStatements).contains(elements.count) else {
            throw Self.failure("members of compound")
        }
        for element in elements {
            guard let map = element.mapValue, map.count == 2, let statement = map["attStmt"],
                let format = map["fmt"]?.textValue.flatMap({ AttestationFormat($0) }), format != .compound
            else { throw Self.failure("members of compound") }
            try AttestationStatement(format: format, value: statement).verify(key: key, signed: signed)
        }
    }

    private var maximumStatements: Int { 8 }

    private func hasAlgorithmAndSignature(_ members: CBORMap) -> Bool {
        members["alg"]?.integerValue != nil && members["sig"]?.bytesValue != nil
    }

    private func requireCertificates(_ members: CBORMap, exactly count: Int? = nil) throws(CeremonyFailure) {
        guard let chain = members["x5c"]?.arrayValue, (1...Self.maximumCertificates).contains(chain.count),
            chain.count == count ?? chain.count, chain.allSatisfy({ $0.bytesValue?.isEmpty == false })
        else { throw Self.failure("x5c is missing, empty or too long") }
    }

    private func require(_ holds: Bool, _ otherwise: String) throws(CeremonyFailure) {
        guard holds else { throw Self.failure(otherwise) }
    }

    private static func failure(_ cause: String) -> CeremonyFailure { CeremonyFailure(.attestationStatement, cause) }
}
