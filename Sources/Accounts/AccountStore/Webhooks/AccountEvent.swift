import AccountDomain
import GatehouseWire

/// Contains no secret or token.
struct AccountEvent {
    let kind: AccountEventKind
    let user: UserID
    private let data: AuthJSONObject

    /// `{"type","timestamp","data"}`, as Standard Webhooks advises.
    func body(at time: Instant) -> AuthJSON {
        .object([
            "type": .string(kind.rawValue), "timestamp": .string("\(time)"), "data": .object(data),
        ])
    }

    static func user(_ kind: AccountEventKind, _ account: Account) throws -> AccountEvent {
        let (user, times) = (account.user, account.user.times)
        func text(_ time: Instant?) -> AuthJSON { time.map { .string("\($0)") } ?? .null }
        let members: AuthJSONObject = [
            "id": .string(user.id.text), "aud": .string(user.audience), "role": .string(user.role),
            "email": user.email.map(AuthJSON.string) ?? .null, "phone": user.phone.map(AuthJSON.string) ?? .null,
            "new_email": user.newEmail.map(AuthJSON.string) ?? .null, "is_anonymous": .bool(user.isAnonymous),
            "app_metadata": try JSONReader.read(user.appMetadata),
            "user_metadata": try JSONReader.read(user.userMetadata), "created_at": text(times.createdAt),
            "updated_at": text(times.updatedAt), "email_confirmed_at": text(times.emailConfirmedAt),
            "phone_confirmed_at": text(times.phoneConfirmedAt), "last_sign_in_at": text(times.lastSignInAt),
            "banned_until": text(times.bannedUntil),
            "identities": .array(account.identities.map { .object(Self.members(of: $0)) }),
        ]
        return AccountEvent(kind: kind, user: user.id, data: ["user": .object(members)])
    }

    static func deleted(_ user: UserID) -> AccountEvent {
        AccountEvent(kind: .userDeleted, user: user, data: ["user": ["id": .string(user.text)]])
    }

    static func started(_ session: Session, _ device: Device) throws -> AccountEvent {
        let members: AuthJSONObject = [
            "id": .string(session.id.text), "user_id": .string(session.user.text),
            "created_at": .string("\(session.createdAt)"), "aal": .string(session.assuranceLevel.rawValue),
            "amr": try JSONReader.read(session.authenticationMethods),
            "user_agent": device.userAgent.map(AuthJSON.string) ?? .null,
            "ip": device.address.map(AuthJSON.string) ?? .null,
        ]
        return AccountEvent(kind: .sessionStarted, user: session.user, data: ["session": .object(members)])
    }

    static func ended(_ session: SessionID, of user: UserID, reason: String) -> AccountEvent {
        AccountEvent(
            kind: .sessionEnded, user: user,
            data: [
                "session": ["id": .string(session.text), "user_id": .string(user.text)], "reason": .string(reason),
            ])
    }

    static func identity(_ kind: AccountEventKind, _ identity: Identity) -> AccountEvent {
        AccountEvent(kind: kind, user: identity.user, data: ["identity": .object(members(of: identity))])
    }

    private static func members(of identity: Identity) -> AuthJSONObject {
        [
            "identity_id": .string(identity.id.text), "user_id": .string(identity.user.text),
            "provider": .string(identity.provider), "id": .string(identity.providerID),
            "email": identity.email.map(AuthJSON.string) ?? .null,
        ]
    }
}
