import Foundation
import Gatehouse
import GatehouseModel

extension InMemoryPasskeys {
    mutating func signUpOptions(_ request: InMemoryRequest, at now: Date) throws(AuthClientError) -> AuthJSON {
        try requirePasskeySignUp()
        let (id, options) = creation(for: Fixtures.id(number()), named: request.text("email"))
        return Self.answer(id, options, now)
    }

    /// The response does not reveal another account with the address, whose owner gets an email.
    mutating func signUpWithPasskey(_ request: InMemoryRequest, at now: Date) throws(AuthClientError) -> Opened {
        try requirePasskeySignUp()
        let email = request.text("email").lowercased()
        guard let challenge = UUID(uuidString: request.text("challenge_id")),
            let owner = server.protection.challenges.removeValue(forKey: challenge) ?? nil, account(owner) == nil
        else { throw Fault.refused(400, .webauthnChallengeNotFound) }
        let isTaken = account(email: email) != nil
        guard !isTaken || !server.confirmsAutomatically else { throw Fault.refused(422, .userAlreadyExists) }
        let data = request.body["data"]?.objectValue ?? [:]
        try add(request.body["credential"] ?? .null, to: owner, at: now)
        _ = server.add(email: nil, firstName: data["first_name"]?.stringValue, as: owner, at: now)
        update(owner) { $0.user.userMetadata = data }
        if isTaken {
            update(owner) { $0.user.newEmail = email }
            server.mails.append(InMemoryAuthService.Mail(kind: .accountExists, email: email))
        } else if !email.isEmpty {
            server.begin(email, of: owner, at: now)
        }
        return try open(owner, at: now)
    }

    private func requirePasskeySignUp() throws(AuthClientError) {
        guard settings.allowsPasskeys, settings.allowsPasskeySignUp else { throw Fault.refused(404, .passkeyDisabled) }
        guard settings.allowsSignUp else { throw Fault.refused(422, .signupDisabled) }
    }
}
