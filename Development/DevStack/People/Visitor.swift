import GatehouseWire

struct Visitor: Sendable {
    let person: Person
    let subject: String
    let email: String?
    let isVerified: Bool
    /// Apple's relay.
    let isRelay: Bool

    enum AddressProblem: Error, Equatable, Sendable {
        case missing
        case malformed

        var sentence: String {
            switch self {
            case .missing: "Type the address of the account."
            case .malformed: "That is not an email address. It should look like name@example.com."
            }
        }
    }

    /// - Parameter typed: For the account that has a typed address. Each address is a different account, because a
    ///   subject does not silently change its address.
    init(_ person: Person, typed: String?, at provider: SimulatedProvider) throws(AddressProblem) {
        var key = person.id
        switch person.address {
        case .verified(let address): (email, isVerified, isRelay) = (address, true, false)
        case .unverified(let address): (email, isVerified, isRelay) = (address, false, false)
        case .hidden: (email, isVerified, isRelay) = (Person.relayAddress, true, true)
        case .none: (email, isVerified, isRelay) = (nil, false, false)
        case .typed:
            let address = try Self.address(typed)
            key += " " + address.lowercased()
            (email, isVerified, isRelay) = (address, true, false)
        }
        self.person = person
        subject = provider.subject(for: key)
    }

    private static func address(_ typed: String?) throws(AddressProblem) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let scalars = (typed ?? "").unicodeScalars.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        let text = String(String.UnicodeScalarView(scalars))
        guard !text.isEmpty else { throw .missing }
        let parts = text.split(ascii: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), parts[1].contains(ascii: "."),
            !parts[1].hasPrefix("."), !parts[1].hasSuffix("."), text.utf8.count <= 254,
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace })
        else { throw .malformed }
        return text
    }
}
