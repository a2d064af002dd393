import Foundation

extension KeyProblem {
    /// Only errors about the key itself mean that it is gone: the others, such as a locked device's, may pass.
    init(enclave error: any Error) {
        let known = error as NSError
        switch known.domain {
        // The bytes are no key of this Enclave: CryptoKitError.
        case "CryptoKit.CryptoKitError": self = .gone
        // TKError's corruptedData and objectNotFound.
        case "CryptoTokenKit" where [-3, -6].contains(known.code): self = .gone
        // errSecItemNotFound, errSecDecode, errSecInvalidKeyBlob.
        case "NSOSStatusErrorDomain" where [-25_300, -26_275, -67_682].contains(known.code): self = .gone
        default: self = .unavailable(StoreProblem(error))
        }
    }
}
