import AccountDomain
import IdentityProviders

extension ProviderIdentity {
    /// The part of a verified identity that accounts need.
    init?(_ verified: VerifiedIdentity) {
        self.init(
            provider: verified.provider, subject: verified.subject, email: verified.email,
            isEmailVerified: verified.isEmailVerified, isPrivateRelay: verified.isPrivateRelay, data: verified.data,
            profile: ProfileFill(
                firstName: verified.givenName ?? verified.name, name: verified.name, avatarURL: verified.picture))
    }
}
