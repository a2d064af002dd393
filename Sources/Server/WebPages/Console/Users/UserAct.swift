import GatehouseWire
import HTTPServing

/// Each has a confirmation page, at its name below the user's page.
enum UserAct: String, CaseIterable, Sendable {
    case edit, resend, confirm, reset, password, ban, lift, unlock
    case endSession = "end-session", endSessions = "end-sessions", delete
    case removeFactor = "remove-factor", removePasskey = "remove-passkey", removeApp = "remove-app"
    case removeIdentity = "remove-identity"

    var title: String {
        switch self {
        case .edit: "Edit"
        case .resend: "Resend Email"
        case .unlock: "Unlock"
        case .ban: "Ban"
        case .lift: "Lift Ban"
        case .reset: "Send Password Reset"
        case .confirm: "Confirm Email"
        case .password: "Set Password"
        case .endSession: "Revoke Session"
        case .endSessions: "Revoke All Sessions"
        case .delete: "Delete"
        case .removeFactor: "Remove Second Factor"
        case .removePasskey: "Remove Passkey"
        case .removeApp: "Remove Connected App"
        case .removeIdentity: "Remove Sign-In Method"
        }
    }

    /// A row or a part of the user's page leads to it.
    var isOfRow: Bool { self == .unlock || removesRow }

    var removesRow: Bool {
        [.endSession, .endSessions, .removeFactor, .removePasskey, .removeApp, .removeIdentity].contains(self)
    }

    var rights: OperatorRights {
        switch self {
        case .resend, .reset, .unlock, .endSession, .endSessions: .help
        case .edit, .confirm, .password, .ban, .lift, .delete, .removeFactor, .removePasskey, .removeApp,
            .removeIdentity:
            .manage
        }
    }

    func fits(_ user: FoundUser, at now: Instant) -> Bool {
        switch self {
        case .ban: !user.isBanned(at: now)
        case .lift: user.isBanned(at: now)
        case .reset: user.email != nil
        case .confirm, .resend: user.email != nil && user.json["email_confirmed_at"]?.stringValue == nil
        case .password: user.email != nil
        case .edit, .unlock, .endSession, .endSessions, .delete, .removeFactor, .removePasskey, .removeApp,
            .removeIdentity:
            true
        }
    }

    func question(_ name: String) -> String {
        switch self {
        case .edit:
            "A changed email or phone number takes effect immediately. If notices are on, the former address gets one."
        case .resend: "Emails \(name) the confirmation again, or the invitation if the user was invited."
        case .unlock:
            "Resets the limits of failed sign-ins for \(name), on every server. Existing sessions stay signed in."
        case .ban:
            "\(name) cannot sign in or use existing sessions until the ban ends. The user reads that the account is "
                + "blocked; only operators see the reason."
        case .lift: "\(name) will be able to sign in again."
        case .reset: "Emails \(name) a code and a link to set a new password."
        case .confirm: "Marks \(name)'s email as confirmed without sending an email."
        case .password: "Replaces \(name)'s password and signs out every device."
        case .endSession: "Signs \(name) out on this device."
        case .endSessions: "Signs \(name) out on every device."
        case .delete:
            "Deletes \(name)'s account with its sign-in methods, sessions and profile. This cannot be undone."
        case .removeFactor:
            "\(name) will be able to sign in without it. Verify that the request comes from the account's owner. With "
                + "mfa_admin_removal_delay, the owner is emailed and can cancel by signing in with the factor."
        case .removeApp:
            "The app loses access to \(name)'s account immediately. \(name) can connect it again."
        case .removeIdentity:
            "\(name) will no longer be able to sign in with it, and the sessions that it opened end. The last sign-in "
                + "method cannot be removed."
        case .removePasskey: "\(name) will no longer be able to sign in with it. Existing sessions stay signed in."
        }
    }

    func done(_ name: String) -> String {
        switch self {
        case .edit: "\(name) was changed."
        case .resend: "The email to \(name) is on its way."
        case .unlock: "\(name) can try to sign in again."
        case .removeIdentity: "\(name)'s sign-in method was removed."
        case .ban: "\(name) is banned."
        case .lift: "\(name) is no longer banned."
        case .reset: "The email to \(name) is on its way."
        case .confirm: "\(name)'s email is confirmed."
        case .password: "\(name) has a new password."
        case .endSession: "\(name)'s session was revoked."
        case .endSessions: "All of \(name)'s sessions were revoked."
        case .delete: "\(name)'s account was deleted."
        case .removeFactor: "\(name)'s second factor is removed, or will be after the delay."
        case .removePasskey: "\(name)'s passkey was removed."
        case .removeApp: "The app was removed from \(name)'s account."
        }
    }
}
