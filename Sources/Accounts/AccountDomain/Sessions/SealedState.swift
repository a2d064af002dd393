import GatehouseWire

/// Which server secret a stored value needs.
package enum SealedState: Equatable, Sendable {
    /// The first secret of the configuration.
    case current
    /// Another secret of the configuration, which opens this content.
    case older(content: [UInt8])
    /// A secret that the configuration lacks.
    case missing(number: UInt8)
    /// The configured secret with the value's number does not open it: another one had that number, or the value is
    /// damaged.
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
