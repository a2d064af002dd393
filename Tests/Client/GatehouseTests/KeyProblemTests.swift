import Foundation
import Testing

@testable import Gatehouse

@Suite("Errors of the Secure Enclave")
struct KeyProblemTests {
    @Test(
        "Only an error about the key itself means that it is gone",
        arguments: [
            ("CryptoTokenKit", -3, true), ("CryptoTokenKit", -6, true), ("CryptoKit.CryptoKitError", 3, true),
            (osStatus, -25_300, true), ("CryptoTokenKit", -2, false), ("CryptoTokenKit", -8, false),
            (osStatus, -25_308, false), ("com.apple.LocalAuthentication", -1_004, false),
        ])
    func kinds(_ domain: String, _ code: Int, _ isGone: Bool) {
        switch KeyProblem(enclave: NSError(domain: domain, code: code)) {
        case .gone: #expect(isGone)
        case .unavailable(let problem):
            #expect(!isGone)
            #expect((problem.cause == .locked) == (code == -25_308))
        }
    }
}

/// Linux has no such constant.
private let osStatus = "NSOSStatusErrorDomain"
