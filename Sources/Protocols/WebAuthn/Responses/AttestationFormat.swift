package import GatehouseWire

/// From the IANA registry (§8).
package enum AttestationFormat: String, CaseIterable, Sendable {
    case none
    case packed
    case tpm
    case androidKey = "android-key"
    case androidSafetyNet = "android-safetynet"
    case fidoU2F = "fido-u2f"
    case apple
    case compound

    package init?(_ name: ExternalName) {
        guard let format = Self.allCases.first(where: { ExternalName(trusted: $0.rawValue) == name }) else {
            return nil
        }
        self = format
    }
}
