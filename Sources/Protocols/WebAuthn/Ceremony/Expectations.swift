/// By PIN or biometrics.
package enum UserVerificationPolicy: String, Sendable {
    case required
    case preferred
    case discouraged
}

/// For backed-up credentials (§7.1 steps 18 and 19).
package enum BackupPolicy: Sendable {
    case allowed
    /// Refuses credentials that may be on several devices.
    case singleDeviceOnly
}

package struct RegistrationExpectation: Sendable {
    package let challenge: [UInt8]
    package let userVerification: UserVerificationPolicy
    package let algorithms: [COSEAlgorithm]
    package let backup: BackupPolicy
    /// `mediation: "conditional"`, where browsers create a key without a gesture.
    package let isConditional: Bool

    package init(
        challenge: [UInt8], userVerification: UserVerificationPolicy = .preferred,
        algorithms: [COSEAlgorithm] = COSEAlgorithm.allCases, backup: BackupPolicy = .allowed,
        isConditional: Bool = false
    ) {
        (self.challenge, self.userVerification, self.algorithms) = (challenge, userVerification, algorithms)
        (self.backup, self.isConditional) = (backup, isConditional)
    }
}

package struct AuthenticationExpectation: Sendable {
    package let challenge: [UInt8]
    package let userVerification: UserVerificationPolicy
    /// The options' `allowCredentials`. Empty allows every credential.
    package let allowedCredentials: [[UInt8]]
    /// The credential owner's. nil skips the comparison.
    package let userHandle: [UInt8]?
    /// Nothing else identified the user.
    package let requiresUserHandle: Bool

    package init(
        challenge: [UInt8], userVerification: UserVerificationPolicy = .preferred,
        allowedCredentials: [[UInt8]] = [], userHandle: [UInt8]? = nil, requiresUserHandle: Bool = false
    ) {
        (self.challenge, self.userVerification) = (challenge, userVerification)
        (self.allowedCredentials, self.userHandle) = (allowedCredentials, userHandle)
        self.requiresUserHandle = requiresUserHandle
    }
}
