/// The rule for an address that a provider verified and an account has proven. Configured per provider.
package enum LinkingPolicy: String, CaseIterable, Sendable {
    /// The identity is linked.
    case automatic
    /// The user must first prove ownership of the account.
    case confirm
    /// Addresses are ignored: the identity gets its own account.
    case never
}

/// The address that a provider must supply before an account is created.
package enum AddressRequirement: String, CaseIterable, Sendable {
    /// None.
    case none
    /// Any address. An unverified one does not become the account's.
    case present
    case verified
}

/// The settings of sign-in through a provider.
package struct ProviderRules: Equatable, Sendable {
    package var linking: LinkingPolicy
    package var address: AddressRequirement
    package var allowsSignUp: Bool
    /// The roles that may use the admin API.
    package var administratorRoles: [String]

    package init(
        linking: LinkingPolicy = .automatic, address: AddressRequirement = .none, allowsSignUp: Bool = true,
        administratorRoles: [String] = []
    ) {
        self.linking = linking
        self.address = address
        self.allowsSignUp = allowsSignUp
        self.administratorRoles = administratorRoles
    }
}
