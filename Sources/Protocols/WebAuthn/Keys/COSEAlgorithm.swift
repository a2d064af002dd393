/// From the IANA registry "COSE Algorithms", in the options' order: the preferred first.
package enum COSEAlgorithm: Int64, CaseIterable, Sendable {
    case es256 = -7
    case es384 = -35
    case es512 = -36
    case rs256 = -257
    case rs384 = -258
    case rs512 = -259
    case ps256 = -37
    case ps384 = -38
    case ps512 = -39
    /// With Ed25519 (§5.8.5).
    case edDSA = -8
}
