import GatehouseWire

/// A test account whose title describes its behaviour.
package struct Person: Hashable, Sendable {
    package enum Address: Hashable, Sendable {
        case verified(String)
        case unverified(String)
        case hidden
        case none
        /// On the page; treated as verified.
        case typed
    }

    package enum Conduct: Hashable, Sendable {
        case signsIn
        case cancels
        /// The token endpoint fails.
        case failsAtToken
        /// The token endpoint is slow.
        case takesTime
        /// The ID token's nonce differs from the one sent.
        case mixesUpNonce
    }

    /// In requests.
    package let id: String
    /// On the provider's page, such as `Hidden address`.
    package let title: String
    /// One sentence on the provider's page.
    package let explanation: String
    package let givenName: String
    package let familyName: String
    package let address: Address
    package let conduct: Conduct

    private init(
        _ id: String, _ title: String, _ explanation: String, givenName: String, _ address: Address,
        _ conduct: Conduct = .signsIn
    ) {
        (self.id, self.title, self.explanation) = (id, title, explanation)
        (self.givenName, familyName) = (givenName, "Example")
        (self.address, self.conduct) = (address, conduct)
    }
}

extension Person {
    /// nil if there is none or it is typed.
    var shownAddress: String? {
        switch address {
        case .verified(let email), .unverified(let email): email
        case .hidden: Self.relayAddress
        case .none, .typed: nil
        }
    }

    static let relayAddress = "h1dd3n4ddr@privaterelay.appleid.com"

    package static func cast(of provider: SimulatedProvider) -> [Person] {
        switch provider {
        case .apple: all
        case .google: all.filter { $0.address != .hidden }
        // No ID token, and so no nonce.
        case .github, .discord, .x: all.filter { $0.address != .hidden && $0.conduct != .mixesUpNonce }
        }
    }

    private static let all = [
        Person(
            "verified", "Verified", "An account like most: a name, and an address the company has verified.",
            givenName: "Verified", .verified("verified@example.com")),
        Person(
            "hidden", "Hidden address", "The app gets a relay address in place of the real one.",
            givenName: "Hidden", .hidden),
        Person("no-address", "No address", "The app gets no address at all.", givenName: "Addressless", .none),
        Person(
            "unverified", "Unverified address", "The company never verified the address, and the token says so.",
            givenName: "Unverified", .unverified("unverified@example.com")),
        Person(
            "existing", "Address of an existing account",
            "Has whichever address you type, verified: to see what happens to the account that has it already.",
            givenName: "Existing", .typed),
        Person(
            "cancels", "Cancels", "Goes back to the app without signing in.", givenName: "Cancelled",
            .verified("cancels@example.com"), .cancels),
        Person(
            "provider-error", "Provider error", "The page works, then the token endpoint answers 503.",
            givenName: "Faulty", .verified("provider-error@example.com"), .failsAtToken),
        Person(
            "slow", "Slow", "The token endpoint takes its time, then signs in.", givenName: "Slow",
            .verified("slow@example.com"), .takesTime),
        Person(
            "wrong-nonce", "Wrong nonce", "The ID token has a nonce that nobody sent: it has to be refused.",
            givenName: "Mistaken", .verified("wrong-nonce@example.com"), .mixesUpNonce),
    ]
}
