import Crypto
import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("The stand-ins as a whole")
struct StandInTests {
    @Test("The registration matches the form of Apple's and Google's consoles")
    func registration() throws {
        let door = try DevDoor()
        for id in [door.apple.teamID, door.apple.keyID] { #expect(id.contains(/^[A-Z0-9]{10}$/)) }
        let pem = door.apple.privateKey.reveal()
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        _ = try P256.Signing.PrivateKey(pemRepresentation: pem)
        #expect(door.apple.base == "http://127.0.0.1:9999/dev/apple")
        #expect(door.apple.issuer == door.apple.base)
        #expect(door.google.issuer == "http://127.0.0.1:9999/dev/google")
        #expect(door.google.secret.utf8Count > 32)
        #expect(door.apple.redirectURIs == [DevDoor.callback])
        #expect("\(door.standIns.registration)".contains(pem) == false, "printing shows no secret")
    }

    @Test("People are the same after every start, have one subject per company, and share addresses")
    func subjects() async throws {
        var seen: [[String?]] = []
        for _ in 0..<2 {
            let door = try DevDoor()
            var subjects: [String?] = []
            for person in ["verified", "no-address", "unverified", "wrong-nonce"] {
                subjects.append(try await door.appleCredential(["person": .string(person)])["user"])
                subjects.append(try await door.googleCredential(["person": .string(person)])["userID"])
            }
            #expect(Set(subjects).count == 8)
            seen.append(subjects)
        }
        #expect(seen[0] == seen[1])
        let door = try DevDoor()
        let google = try await door.googleCredential().json["profile"]?["email"]?.stringValue
        #expect(try await door.appleCredential()["email"] == google)
    }

    @Test("Every address of the cast is unassignable")
    func addresses() {
        for company in [Company.apple, .google] {
            let people = Person.cast(of: company)
            #expect(Set(people.map(\.id)).count == people.count)
            for person in people {
                switch person.address {
                case .verified(let email), .unverified(let email): #expect(email.hasSuffix("@example.com"))
                case .hidden, .none, .typed: break
                }
            }
        }
    }

    @Test("Memory is bounded: of a thousand and one codes the first is forgotten, the second is not")
    func bounded() async throws {
        let door = try DevDoor()
        var codes: [String] = []
        for _ in 0...1_000 { codes.append(try await door.googleCode()) }
        #expect(try await door.googleToken(code: codes[0]).error == "invalid_grant")
        #expect(try await door.googleToken(code: codes[1]).status == 200)
        #expect(try await door.googleToken(code: codes[1_000]).status == 200)
    }

    @Test("Of two concurrent exchanges of one code, one gets tokens")
    func race() async throws {
        let door = try DevDoor()
        let code = try await door.googleCode()
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await door.googleToken(code: code).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == [200, 400, 400, 400, 400, 400, 400, 400])
    }

    @Test("These addresses serve nothing else")
    func unknown() async throws {
        let door = try DevDoor()
        #expect(try await door.get("/dev/apple/elsewhere").status == 404)
        #expect(try await door.get("/dev/apple").status == 404)
        #expect(try await door.get("/dev/google/notify").status == 404)
        #expect(try await door.get("/dev/google/token").status == 405)
    }
}
