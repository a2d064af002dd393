import GatehouseWire

/// The server secret that a stored value needs.
package enum SealedState: Equatable, Sendable {
    case current
    /// Another configured secret, which opens this content.
    case older(content: [UInt8])
    case missing(number: UInt8)
    /// The secret with the value's number does not open it: the number was reused, or the value is damaged.
    case damaged
}

extension ServerSecrets {
    /// - Parameter name: As for ``seal(_:name:nonce:)``.
    package func state(of sealed: [UInt8], name: String) -> SealedState {
        do {
            let content = try open(sealed, name: name)
            return sealed.first == currentNumber ? .current : .older(content: content)
        } catch let unknown as UnknownServerSecret {
            guard sealed.count >= 29, let number = unknown.number else { return .damaged }
            return .missing(number: number)
        } catch {
            return .damaged
        }
    }
}
