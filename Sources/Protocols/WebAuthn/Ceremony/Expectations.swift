/// Whether the authenticator must verify the user by PIN or biometrics.
package enum UserVerificationPolicy: String, Sendable {
    case required
    case preferred
    case discouraged
}

/// Which backed-up credentials are taken (§7.1 steps 18 and 19).
package enum BackupPolicy: Sendable {
    case allowed
    /// Refuses credentials that may be on several devices.
    case singleDeviceOnly
}

/// The expectations that a registration must match.
package struct RegistrationExpectation: Sendable {
    /// The challenge of the options, in bytes.
    package let challenge: [UInt8]
    package let userVerification: UserVerificationPolicy
    /// The algorithms that the options offered.
    package let algorithms: [COSEAlgorithm]
    package let backup: BackupPolicy
    /// Whether the options were used with `mediation: "conditional"`, where browsers create a key without a gesture.
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

/// The expectations that an authentication must match.
package struct AuthenticationExpectation: Sendable {
    /// The challenge of the options, in bytes.
    package let challenge: [UInt8]
    package let userVerification: UserVerificationPolicy
    /// The ids of the options' `allowCredentials`. Empty allows every credential.
    package let allowedCredentials: [[UInt8]]
    /// The handle of the credential's owner. nil does not compare.
    package let userHandle: [UInt8]?
    /// Whether the response must contain a user handle, because nothing else identified the user.
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
