import GatehouseWire

/// Why a ceremony failed.
///
/// Callers answer by ``code``; ``step`` and ``cause`` are for the log. None of them contains bytes of the response.
package struct CeremonyFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What a client may learn.
    package enum Code: Sendable {
        /// The response has no readable form: a member is missing, of another type or length, or not in its encoding.
        case malformed
        /// The response is readable, and a check of the ceremony refused it.
        case refused
    }

    package let step: CeremonyStep
    /// In a few words.
    package let cause: String

    init(_ step: CeremonyStep, _ cause: String) { (self.step, self.cause) = (step, cause) }

    package var code: Code { step == .form ? .malformed : .refused }

    package var description: String { "\(step): \(cause)" }

    package static func == (left: CeremonyFailure, right: CeremonyFailure) -> Bool {
        left.step == right.step && left.cause.utf8.elementsEqual(right.cause.utf8)
    }
}

/// A check of WebAuthn Level 3 §7.1 (registration) or §7.2 (authentication).
package enum CeremonyStep: Sendable, CaseIterable {
    /// Reading the response, before any comparison.
    case form
    case allowedCredential
    case userHandle
    case clientDataType
    case challenge
    case origin
    case crossOrigin
    case topOrigin
    case relyingPartyID
    case userPresence
    case userVerification
    case backupState
    case backupEligibility
    case algorithm
    case attestationFormat
    case attestationStatement
    case credentialIDLength
    case signature

    /// The number of the step in §7.1; 0 if that ceremony has no such step.
    package var registration: Int {
        switch self {
        case .form: 3
        case .clientDataType: 7
        case .challenge: 8
        case .origin: 9
        case .crossOrigin: 10
        case .topOrigin: 11
        case .relyingPartyID: 14
        case .userPresence: 15
        case .userVerification: 16
        case .backupState: 17
        case .backupEligibility: 18
        case .algorithm: 20
        case .attestationFormat: 21
        case .attestationStatement: 22
        case .credentialIDLength: 25
        case .allowedCredential, .userHandle, .signature: 0
        }
    }

    /// The number of the step in §7.2; 0 if that ceremony has no such step.
    package var authentication: Int {
        switch self {
        case .form: 3
        case .allowedCredential: 5
        case .userHandle: 6
        case .clientDataType: 10
        case .challenge: 11
        case .origin: 12
        case .crossOrigin: 13
        case .topOrigin: 14
        case .relyingPartyID: 15
        case .userPresence: 16
        case .userVerification: 17
        case .backupState: 18
        case .signature: 21
        // Step 19 is not enforced: see ``RelyingParty/verify(_:_:of:)``.
        case .backupEligibility: 0
        case .algorithm, .attestationFormat, .attestationStatement, .credentialIDLength: 0
        }
    }
}
