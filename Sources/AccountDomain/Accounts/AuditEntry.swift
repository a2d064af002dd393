package import GatehouseWire

/// What happened to an account, for the log that is kept with it.
package struct AuditEntry: Sendable {
    package enum Action: String, Sendable {
        case login, logout
        case userSignedUp = "user_signedup"
        case userDeleted = "user_deleted"
        case userModified = "user_modified"
        case userUpdatedPassword = "user_updated_password"
        case userRepeatedSignUp = "user_repeated_signup"
        case tokenRevoked = "token_revoked"

        var logType: String {
            switch self {
            case .login, .logout, .userDeleted: "account"
            case .userSignedUp: "team"
            case .userModified, .userUpdatedPassword, .userRepeatedSignUp: "user"
            case .tokenRevoked: "token"
            }
        }
    }

    package let action: Action
    package let actor: UserID?
    /// The actor's address, or `service_role` for the admin API.
    package let actorName: String
    package let traits: [String: AnyJSON]
    package var logType: String { action.logType }

    package init(_ action: Action, actor: UserID?, actorName: String, traits: [String: AnyJSON] = [:]) {
        self.action = action
        self.actor = actor
        self.actorName = actorName
        self.traits = traits
    }
}
