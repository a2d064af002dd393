/// Applies to addresses that a provider verified and an account has proven.
package enum LinkingPolicy: String, CaseIterable, Sendable {
    case automatic
    /// The user must first prove ownership of the account.
    case confirm
    /// The identity gets its own account.
    case never
}

/// Required before an account is created.
package enum AddressRequirement: String, CaseIterable, Sendable {
    case none
    /// An unverified one does not become the account's.
    case present
    case verified
}

package struct ProviderRules: Equatable, Sendable {
    package var linking: LinkingPolicy
    package var address: AddressRequirement
    package var allowsSignUp: Bool
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
