import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import TestSupport
import Testing

@Suite("Password attempts")
struct AttemptTests {
    private let bucket = HTTPField.Name("x-ratelimit-bucket")!

    @Test("D9: The eleventh wrong password of an hour is refused by address, with the limit's name and the wait")
    func limitByAddress() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            for number in 0..<10 {
                #expect(try await server.signIn("p\(number)@example.com", password: "wrong").status == 400)
            }
            let refused = try await server.signIn("new@example.com", password: "wrong")
            #expect(refused.status == 429)
            #expect(refused.code == "over_request_rate_limit")
            #expect(refused.headers[.retryAfter] == "360")
            #expect(refused.headers[bucket] == "failed_sign_ins_address")
            #expect(try await server.signIn("new@example.com", password: "wrong", peer: "192.0.2.9").status == 400)
            server.clock.advance(by: .seconds(360))
            #expect(try await server.signIn("new@example.com", password: "wrong").status == 400)
        }
    }

    @Test("D9: Wrong passwords for one account are limited across addresses; right ones cost nothing")
    func limitByAccount() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            for number in 0..<20 { #expect(try await server.signIn(peer: "192.0.2.\(number + 10)").status == 200) }
            for number in 0..<10 {
                #expect(try await server.signIn(password: "wrong", peer: "198.51.100.\(number)").status == 400)
            }
            let refused = try await server.signIn(password: "wrong", peer: "203.0.113.1")
            #expect(refused.status == 429)
            #expect(refused.headers[bucket] == "failed_sign_ins_account")
        }
    }

    @Test("The pair of account and address closes first: other accounts and other addresses continue")
    func pair() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            _ = try await server.signUp("grace@example.com")
            for _ in 0..<10 {
                #expect(try await server.signIn(password: "wrong", peer: "203.0.113.1").status == 400)
            }
            let refused = try await server.signIn(peer: "203.0.113.1")
            #expect(refused.status == 429)
            #expect(refused.headers[bucket] == "failed_sign_ins_pair")
            #expect(try await server.signIn("grace@example.com", peer: "203.0.113.1").status == 200)
            #expect(try await server.signIn(peer: "203.0.113.2").status == 200)
        }
    }

    /// Each pair takes five failures from account and address, and occasionally one more does.
    @Test(
        "D9: However many pairs stay warm, an hour brings twice the limit of guesses and no more",
        arguments: ["one account", "one address"])
    func warmPairs(_ kind: String) async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            func guess(_ pair: Int) async throws -> Bool {
                let answer =
                    kind == "one account"
                    ? try await server.signIn(password: "wrong", peer: "198.51.100.\(pair)")
                    : try await server.signIn("p\(pair)@example.com", password: "wrong", peer: "198.51.100.1")
                return answer.status == 400
            }
            var checked = Array(repeating: 0, count: 6)
            for interval in 0..<60 {
                for pair in 0...(interval / 6) {
                    while try await guess(pair) { checked[interval / 10] += 1 }
                }
                server.clock.advance(by: .seconds(360))
            }
            // A burst of twenty, and twenty in each hour.
            #expect(checked.reduce(0, +) <= 20 + 6 * 20, "\(checked)")
        }
    }

    @Test("Eleven concurrent right passwords from one address all sign in, and none is counted")
    func rightOnes() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            for _ in 0..<3 {
                let answers = try await atOnce(server, peers: Array(repeating: "203.0.113.1", count: 11))
                #expect(answers.map(\.status) == Array(repeating: 200, count: 11))
                server.clock.advance(by: .seconds(300))
            }
        }
    }

    @Test("Of thirty concurrent guesses for one account ten are checked, from any addresses")
    func parallelGuesses() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            let peers = (0..<30).map { "198.51.100.\($0)" }
            let statuses = try await atOnce(server, password: "wrong", peers: peers).map(\.status)
            #expect(statuses.count { $0 == 400 } == 10)
            #expect(statuses.count { $0 == 429 } == 20)
        }
    }

    private func atOnce(
        _ server: TestServer, password: String = TestServer.password, peers: [String]
    ) async throws -> [TestAnswer] {
        try await withThrowingTaskGroup(of: TestAnswer.self) { group in
            for peer in peers {
                group.addTask { try await server.signIn(password: password, peer: peer) }
            }
            var answers: [TestAnswer] = []
            for try await answer in group { answers.append(answer) }
            return answers
        }
    }

    /// From enough addresses to limit the account for strangers.
    private func attack(_ server: TestServer) async throws {
        for number in 0..<10 {
            #expect(try await server.signIn(password: "wrong", peer: "198.51.100.\(number)").status == 400)
        }
        #expect(try await server.signIn(peer: "203.0.113.99").status == 429)
    }

    private func browse(
        _ server: TestServer, _ cookie: String?, _ password: String = TestServer.password,
        peer: String = "203.0.113.1"
    ) async throws -> TestAnswer {
        var headers: HTTPFields = [.origin: "https://app.example.org"]
        headers[.cookie] = cookie
        return try await server.send(
            .post, "/auth/v1/token?grant_type=password", headers: headers,
            json: ["email": "Ada@example.com", "password": .string(password)], peer: peer)
    }

    @Test("A mark ends with its password; who knew that one is a stranger, and whoever changed it has a new mark")
    func changedPassword() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            func cookie(_ answer: TestAnswer) throws -> String {
                String(try #require(answer.headers[.setCookie]).prefix { $0 != ";" })
            }
            let session = try await server.signUp()
            var thieves: [String] = []
            for _ in 0..<3 { thieves.append(try cookie(try await browse(server, nil))) }
            // What devices may fail together, before the change and by what it ends.
            for (number, thief) in thieves.enumerated() {
                for _ in 0..<10 {
                    #expect(try await browse(server, thief, "wrong", peer: "192.0.2.\(number)").status == 400)
                }
            }
            let own = try cookie(try await browse(server, nil))
            let changed = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken,
                headers: [.origin: "https://app.example.org", .cookie: own], json: ["password": "another good one"])
            #expect(changed.status == 200)
            let renewed = try cookie(changed)
            #expect(renewed.split(separator: ".").count == 1)
            #expect(renewed != own)
            var checked = 0
            for number in 0..<30 {
                let old = number < 20 ? own : thieves[0]
                let guess = try await browse(server, old, "wrong", peer: "198.51.100.\(number)")
                checked += guess.status == 400 ? 1 : 0
            }
            #expect(checked == 10)
            #expect(try await browse(server, own, "another good one").status == 429)
            let known = try await browse(server, renewed, "another good one")
            #expect(known.status == 200)
            #expect(try cookie(known) == renewed)
        }
    }

    @Test("Under attack a known browser is admitted by its cookie and counted separately")
    func knownBrowser() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            func signIn(_ cookie: String?, _ password: String = TestServer.password) async throws -> TestAnswer {
                try await browse(server, cookie, password)
            }
            let field = try #require(try await signIn(nil).headers[.setCookie])
            #expect(field.contains("; HttpOnly; SameSite=Lax"))
            let cookie = String(field.prefix { $0 != ";" })
            _ = try await server.send(
                .post, "/auth/v1/logout", bearer: TestSession(try await signIn(cookie))?.accessToken)
            try await attack(server)
            #expect(try await signIn(nil).status == 429)
            #expect(try await signIn(String(cookie.dropLast(3)) + "AAA").status == 429)
            // Its entry is renewed, not duplicated.
            let renewed = try await signIn(cookie)
            #expect(renewed.headers[.setCookie]?.hasPrefix(cookie + ";") == true)
            _ = try await server.send(.post, "/auth/v1/logout", bearer: TestSession(renewed)?.accessToken)
            // The cookie is not a password: its guesses are limited as well.
            for _ in 0..<10 { #expect(try await signIn(cookie, "wrong").status == 400) }
            #expect(try await signIn(cookie, "wrong").status == 429)
            // Its failures slow down no other caller.
            server.clock.advance(by: .seconds(360))
            #expect(try await server.signIn(peer: "203.0.113.98").status == 200)
        }
    }

    /// A browser sends no mark from another site, and the response there would replace its own.
    @Test(
        "A browser is marked when a page of ours asks, and not when another site does",
        arguments: [
            ("http://test", nil, true), ("http://127.0.0.1:9999", nil, true), ("https://app.example.org", nil, true),
            ("https://app.example.org", "same-site", true), ("https://behind.example", "same-origin", true),
            ("https://evil.example", "cross-site", false), ("https://evil.example.org", "same-site", false),
            ("https://evil.example", nil, false), ("http://127.0.0.1:99", nil, false), ("http://", nil, false),
            ("null", "cross-site", false), ("null", nil, false), (nil, "none", false), (nil, nil, false),
        ] as [(String?, String?, Bool)])
    func marking(_ origin: String?, _ site: String?, _ isMarked: Bool) async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            _ = try await server.signUp()
            var headers: HTTPFields = [.cookie: "other=1"]
            headers[.origin] = origin
            headers[try #require(HTTPField.Name("sec-fetch-site"))] = site
            let answer = try await server.send(
                .post, "/auth/v1/token?grant_type=password", headers: headers,
                json: ["email": "ada@example.com", "password": .string(TestServer.password)])
            #expect(answer.status == 200)
            #expect((answer.headers[.setCookie] != nil) == isMarked)
        }
    }

    @Test("A cookie of one account does not count for another, and a browser keeps the latest four")
    func otherAccounts() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            let names = ["ada", "grace", "joan", "mary", "rosa"].map { "\($0)@example.com" }
            var cookie = "other=1"
            for name in names {
                _ = try await server.signUp(name)
                let answer = try await server.send(
                    .post, "/auth/v1/token?grant_type=password",
                    headers: [.cookie: cookie, .origin: "https://app.example.org"],
                    json: ["email": .string(name), "password": .string(TestServer.password)], peer: "203.0.113.1")
                cookie = String(try #require(answer.headers[.setCookie]).prefix { $0 != ";" })
            }
            #expect(cookie.split(separator: ".").count == 4)
            #expect(try await server.signIn().headers[.setCookie] == nil)
        }
    }

    @Test("Under attack an app is admitted at an address with a session of the account", arguments: TestDatabase.all)
    func knownAddress(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, limits: AuthRates()) { server in
            _ = try await server.signUp()
            #expect(try await server.signIn(peer: "2001:db8:7:7::1").status == 200)
            try await attack(server)
            #expect(try await server.signIn(peer: "2001:db8:7:7::2").status == 200)
            #expect(try await server.signIn(peer: "2001:db8:7:8::2").status == 429)
            // The pair is still limited.
            for _ in 0..<10 {
                #expect(try await server.signIn(password: "wrong", peer: "2001:db8:7:7::3").status == 400)
            }
            #expect(try await server.signIn(peer: "2001:db8:7:7::3").headers[bucket] == "failed_sign_ins_pair")
        }
    }

    @Test("Guesses that are under way shut out no address with a session", arguments: [15, 65])
    func knownAddressMeanwhile(_ before: Int) async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            for round in 0..<3 {
                let email = "p\(round)@example.com"
                _ = try await server.signUp(email)
                let owner = try await withThrowingTaskGroup(of: TestAnswer?.self) { group in
                    for number in 0..<80 {
                        group.addTask {
                            if number == before { return try await server.signIn(email) }
                            let peer = "198.51.\(round).\(number)"
                            _ = try await server.signIn(email, password: "wrong", peer: peer)
                            return nil
                        }
                    }
                    return try await group.reduce(nil) { $0 ?? $1 }
                }
                #expect(owner?.status == 200)
            }
        }
    }

    @Test("An IPv6 subscriber is counted by /64, and a site by /48")
    func version6() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            for number in 0..<10 {
                #expect(
                    try await server.signIn("p\(number)@example.com", peer: "2001:db8:1:1::\(number)").status == 400)
            }
            #expect(try await server.signIn("q@example.com", peer: "2001:db8:1:1:f::").status == 429)
            for number in 10..<100 {
                #expect(
                    try await server.signIn("p\(number)@example.com", peer: "2001:db8:1:f\(number)::").status == 400)
            }
            let refused = try await server.signIn("q@example.com", peer: "2001:db8:1:2::")
            #expect(refused.headers[bucket] == "failed_sign_ins_network")
            #expect(try await server.signIn("q@example.com", peer: "2001:db8:2:2::").status == 400)
        }
    }

    @Test("A full queue is not counted as a failure")
    func busy() async throws {
        try await TestServer.with(limits: AuthRates(), hashQueue: 0) { server in
            _ = try await server.signUp()
            let peers = (0..<10).map { "203.0.113.\($0)" }
            var turnedAway = 0
            while turnedAway < 30 { turnedAway += try await turnAway(server, peers) }
            for peer in peers { #expect(try await server.signIn(peer: peer).status == 200) }
        }
    }

    private func turnAway(_ server: TestServer, _ peers: [String]) async throws -> Int {
        let refused = try await atOnce(server, peers: peers).filter { $0.status != 200 }
        let buckets = refused.map { $0.headers[bucket] }
        #expect(buckets == Array(repeating: "password_hashing", count: refused.count))
        server.clock.advance(by: .seconds(60))
        return refused.count
    }

    @Test("Only a right password reveals a ban or a missing confirmation")
    func banned() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            _ = try await server.admin(.put, "/users/\(session.userID)", json: ["ban_duration": "24h"])
            #expect(try await server.signIn(password: "wrong password").code == "invalid_credentials")
            #expect(try await server.signIn().code == "user_banned")
        }
    }
}
