import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport

struct BrokenPromise: Error, CustomStringConvertible {
    let promise: String
    let history: [String]
    var description: String { promise + "\n  " + history.joined(separator: "\n  ") }
}

/// Not the response that the explorer relies on.
struct Unexpected: Error { let answer: TestAnswer }

/// SplitMix64: the same sequence for the same seed.
struct Dice {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 }

    mutating func roll(_ sides: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ (bits >> 31)) % UInt64(sides))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}

/// A phone or browser of the owner.
struct OwnersDevice {
    var session: TestSession
    /// For a thief to copy.
    var earlier: String?
    /// A thief used one of its tokens, so its session may end.
    var isCompromised = false
}

/// One owner of one address, and other people, on a server that other sequences share.
struct OwnerWorld {
    let server: TestServer
    let number: Int
    let fault: PlantedFault?
    let confirms: Bool
    var dice: Dice
    var history: [String] = []

    let email: String
    let password = "the owner's password 1"
    var user: String?
    var hasPassword = false
    var app: TestApp?
    var passkey: PasskeyClient?
    var devices: [OwnersDevice] = []
    var marker: String { "marker-\(number)" }
    var wrongPasswords = 0
    var wrongCodes = 0
    /// A thief of the password signed out other sessions without the second factor.
    var isSignedOutByThief = false

    var strangersPasswords: [String] = []
    var strangersSessions: [TestSession] = []
    var strangersPasskey: PasskeyClient?
    var hasMoved = false

    /// nil in most sequences: agents cost requests.
    let actors: AgentActors?
    var agentDice: Dice
    var access = AgentAccess()

    init(_ server: TestServer, number: Int, confirms: Bool, fault: PlantedFault?, actors: AgentActors) {
        (self.server, self.number, self.confirms, self.fault) = (server, number, confirms, fault)
        dice = Dice(number)
        agentDice = Dice(~number)
        self.actors = agentDice.roll(4) == 0 ? actors : nil
        email = "owner\(number)@example.com"
    }

    /// Addresses that no other sequence has.
    func peer(_ person: String) -> String {
        let nets = ["owner": 10, "new device": 11, "stranger": 12, "other stranger": 13, "thief": 14, "agent": 16]
        let net = nets[person] ?? 15
        return "\(net).\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
    }

    mutating func call(
        _ person: String, _ path: String, bearer: String? = nil, _ json: AuthJSON? = nil
    ) async throws -> TestAnswer {
        try await call(person, .post, path, bearer: bearer, json)
    }

    mutating func call(
        _ person: String, _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, _ json: AuthJSON? = nil
    ) async throws -> TestAnswer {
        if let refused = fault?.refusal(of: path, in: self) { return refused }
        try await fault?.before(path, in: self)
        try await fault?.beforeAgents(path, by: person, in: self)
        let answer = try await server.send(
            method, "/auth/v1" + (fault?.path(of: path) ?? path), bearer: bearer,
            // Otherwise a form.
            headers: path.hasPrefix("/oauth/") ? [.contentType: "application/json"] : [:], json: json,
            peer: peer(person))
        history.append("\(person): \(method.rawValue) \(path) → \(answer.status) \(answer.code ?? "")")
        guard answer.status < 500 else { throw BrokenPromise(promise: "a request failed: \(answer)", history: history) }
        try await fault?.after(path, answer, in: self)
        try await fault?.afterAgents(path, answer, by: person, in: self)
        return answer
    }

    func broken(_ promise: String) -> BrokenPromise { BrokenPromise(promise: promise, history: history) }

    /// Reads every email since the last call.
    mutating func emailedCode() async throws -> String? {
        let mails = try await server.deliveredMails()
        try await fault?.afterEmails(in: self)
        return mails.last { $0.content.recipient.text == email && $0.content.code != nil }?.content.code?.reveal()
    }

    /// Requested as anyone can, and read as only the mailbox's owner can.
    mutating func code(_ person: String, _ path: String = "/otp") async throws -> String {
        server.passInterval()
        _ = try await server.deliveredMails()
        let asked = try await call(person, path, ["email": .string(email)])
        guard asked.status == 200, let code = try await emailedCode() else { throw broken("no code arrived: \(asked)") }
        return code
    }

    mutating func verify(
        _ person: String, _ code: String, type: String = "email", bearer: String? = nil, password: String? = nil
    ) async throws -> TestAnswer {
        var json: AuthJSONObject = ["type": .string(type), "email": .string(email), "token": .string(code)]
        json["password"] = password.map(AuthJSON.string)
        return try await call(person, "/verify", bearer: bearer, .object(json))
    }

    mutating func signIn(_ person: String, _ password: String) async throws -> TestAnswer {
        try await call(
            person, "/token?grant_type=password", ["email": .string(email), "password": .string(password)])
    }

    mutating func refresh(_ person: String, _ token: String) async throws -> TestAnswer {
        try await call(person, "/token?grant_type=refresh_token", ["refresh_token": .string(token)])
    }

    /// Answers the factor's challenge.
    mutating func raise(_ person: String, _ session: TestSession) async throws -> TestAnswer? {
        guard let app else { return nil }
        // The app's next step, so that no code comes twice.
        server.clock.advance(by: .seconds(60))
        let challenge = try await call(person, "/factors/\(app.factor)/challenge", bearer: session.accessToken)
        guard let id = challenge["id"] else { return nil }
        return try await call(
            person, "/factors/\(app.factor)/verify", bearer: session.accessToken,
            ["challenge_id": id, "code": .string(app.code(server))])
    }

    mutating func adopt(_ answer: TestAnswer) throws {
        guard let session = TestSession(answer) else { throw Unexpected(answer: answer) }
        user = user ?? session.userID
        devices.append(OwnersDevice(session: session))
    }
}
