/// What happens when a provider vouches for an address that an account has proven too. Set for each provider.
package enum LinkingPolicy: String, CaseIterable, Sendable {
    /// The two are linked.
    case automatic
    /// The person proves first that the account is theirs.
    case confirm
    /// Addresses are not looked at: the identity gets an account of its own.
    case never
}

/// What a provider has to say of an address before an account is made.
package enum AddressRequirement: String, CaseIterable, Sendable {
    /// Nothing: the account may be without one.
    case none
    /// Some address; one that is not verified does not become the account's.
    case present
    case verified
}

/// What the settings say of sign-in through a provider.
package struct ProviderRules: Equatable, Sendable {
    package var linking: LinkingPolicy
    package var address: AddressRequirement
    package var allowsSignUp: Bool

    package init(
        linking: LinkingPolicy = .automatic, address: AddressRequirement = .none, allowsSignUp: Bool = true
    ) {
        self.linking = linking
        self.address = address
        self.allowsSignUp = allowsSignUp
    }
}
