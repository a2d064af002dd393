import GatehouseWire

package enum SealedState: Equatable, Sendable {
    case current
    /// Another configured secret opens this content.
    case older(content: [UInt8])
    case missing(number: UInt8)
    /// The number was reused for another secret, or the value is damaged.
    case damaged
}

extension ServerSecrets {
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
