import Crypto
import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("The stand-ins as a whole")
struct StandInTests {
    @Test("The registration matches the form of Apple's and Google's consoles")
    func registration() throws {
        let router = try DevRouter()
        for id in [router.apple.teamID, router.apple.keyID] { #expect(id.contains(/^[A-Z0-9]{10}$/)) }
        let pem = router.apple.privateKey.reveal()
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        _ = try P256.Signing.PrivateKey(pemRepresentation: pem)
        #expect(router.apple.base == "http://127.0.0.1:9999/dev/apple")
        #expect(router.apple.issuer == router.apple.base)
        #expect(router.google.issuer == "http://127.0.0.1:9999/dev/google")
        #expect(router.google.secret.utf8Count > 32)
        #expect(router.apple.redirectURIs == [DevRouter.callback])
        #expect("\(router.standIns.registration)".contains(pem) == false, "printing shows no secret")
    }

    @Test("People are the same after every start, have one subject per provider, and share addresses")
    func subjects() async throws {
        var seen: [[String?]] = []
        for _ in 0..<2 {
            let router = try DevRouter()
            var subjects: [String?] = []
            for person in ["verified", "no-address", "unverified", "wrong-nonce"] {
                subjects.append(try await router.appleCredential(["person": .string(person)])["user"])
                subjects.append(try await router.googleCredential(["person": .string(person)])["userID"])
            }
            #expect(Set(subjects).count == 8)
            seen.append(subjects)
        }
        #expect(seen[0] == seen[1])
        let router = try DevRouter()
        let google = try await router.googleCredential().json["profile"]?["email"]?.stringValue
        #expect(try await router.appleCredential()["email"] == google)
    }

    @Test("Every address of the cast is unassignable")
    func addresses() {
        for provider in [SimulatedProvider.apple, .google] {
            let people = Person.cast(of: provider)
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
        let router = try DevRouter()
        var codes: [String] = []
        for _ in 0...1_000 { codes.append(try await router.googleCode()) }
        #expect(try await router.googleToken(code: codes[0]).error == "invalid_grant")
        #expect(try await router.googleToken(code: codes[1]).status == 200)
        #expect(try await router.googleToken(code: codes[1_000]).status == 200)
    }

    @Test("Of two concurrent exchanges of one code, one gets tokens")
    func race() async throws {
        let router = try DevRouter()
        let code = try await router.googleCode()
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await router.googleToken(code: code).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == [200, 400, 400, 400, 400, 400, 400, 400])
    }

    @Test("These addresses serve nothing else")
    func unknown() async throws {
        let router = try DevRouter()
        #expect(try await router.get("/dev/apple/elsewhere").status == 404)
        #expect(try await router.get("/dev/apple").status == 404)
        #expect(try await router.get("/dev/google/notify").status == 404)
        #expect(try await router.get("/dev/google/token").status == 405)
    }
}
