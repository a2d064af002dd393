package import AccountDomain
import AuthServer

extension FactorRules {
    /// Authenticator apps and recovery codes.
    package static var withRecoveryCodes: FactorRules {
        var rules = FactorRules()
        rules.enrolling.insert(.recoveryCodes)
        rules.verifying.insert(.recoveryCodes)
        return rules
    }
}

extension TestServer {
    /// - Parameter secret: Base32, with or without spaces between its groups.
    /// - Returns: nil for a malformed secret.
    package func appCode(_ secret: String) -> String? {
        Base32.decode(secret.utf8.filter { $0 != UInt8(ascii: " ") })
            .map { TimeCode(secret: $0).code(of: TimeCode.step(at: clock.now)) }
    }
}
