import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension StandInApple {
    /// `/native-credential` with `{"person","nonce","client_id","email"}`, of which only `person` is required: the
    /// result of Apple's sheet, without a device. Name and address are sent only the first time; the ID token always
    /// has the address.
    func nativeCredential(_ request: Request, _ context: ServerContext) async throws -> Response {
        let members = try await request.jsonMembers(context)
        let visitor = try Self.provider.visitor(named: members)
        let client = try members.string("client_id") ?? registration.apps.first ?? ""
        guard registration.apps.contains(client) else {
            throw OAuthRefusal(
                .badRequest, "invalid_client", "client_id has to be the bundle id of an app.")
        }
        guard visitor.person.conduct != .cancels else {
            throw OAuthRefusal(.badRequest, "user_cancelled_authorize", "The person closed the sheet.")
        }
        try await world.undergo(visitor.person, slowness: slowness)
        let now = world.now()
        let grant = Grant(
            client: client, visitor: visitor, scopes: ["name", "email"], authorizedAt: now,
            nonce: try members.string("nonce"))
        let code = ledger.issueCode(for: grant, until: now + Self.codeLifetime)
        let token = try idToken(
            for: grant, ["c_hash": .string(keys.hash(of: code)), "real_user_status": 2],
            flag: { $0 ? "true" : "false" })
        var answer: AuthJSONObject = [
            "identityToken": .string(token), "authorizationCode": .string(code), "user": .string(visitor.subject),
        ]
        if ledger.noteConsent(client, visitor) {
            let person = visitor.person
            answer["fullName"] = ["givenName": .string(person.givenName), "familyName": .string(person.familyName)]
            answer["email"] = visitor.email.map(AuthJSON.string)
        }
        return OAuthAnswer.json(.object(answer))
    }
}
