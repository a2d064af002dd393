import GatehouseWire

/// Callers respond by ``code``; ``step`` and ``cause`` are for the log. None contains bytes of the response.
package struct CeremonyFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The part that a client may learn.
    package enum Code: Sendable {
        case malformed
        case refused
    }

    package let step: CeremonyStep
    package let cause: String

    init(_ step: CeremonyStep, _ cause: String) { (self.step, self.cause) = (step, cause) }

    package var code: Code { step == .form ? .malformed : .refused }

    package var description: String { "\(step): \(cause)" }

    package static func == (left: CeremonyFailure, right: CeremonyFailure) -> Bool {
        left.step == right.step && left.cause.utf8.elementsEqual(right.cause.utf8)
    }
}

/// WebAuthn Level 3 §7.1 (registration) or §7.2 (authentication).
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
}
