import GatehouseWire

/// Why a ceremony failed.
///
/// Callers answer by ``code``; ``step`` and ``cause`` are for the log. None of them contains bytes of the response.
package struct CeremonyFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The part that a client may learn.
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
}
