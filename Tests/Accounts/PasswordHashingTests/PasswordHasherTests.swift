import GatehouseWire
import Testing

@testable import PasswordHashing

@Suite("Comparing passwords")
struct PasswordHasherTests {
    @Test(
        "A known hash matches its password and no other",
        arguments: [
            ("password", Known.argon2id), ("password", Known.argon2idTwoLanes), ("password", Known.argon2i),
            ("password", Known.argon2idFourLanes),
            // Go x/crypto's test vector, then three of Openwall's crypt_blowfish.
            ("allmine", "$2a$10$XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga"),
            ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
            ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
            ("U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("pass", Known.bcryptOfPass), ("påssword🔑", Known.bcryptOfUnicode),
            ("user1password", Known.firebase()),
        ])
    func known(_ password: String, _ hash: String) async throws {
        try await TestHasher.run { hasher, _ in
            let right = try await hasher.matches(Secret(password), hash)
            let longer = try await hasher.matches(Secret(password + "x"), hash)
            let other = try await hasher.matches(Secret("X" + password), hash)
            #expect([right.isMatch, longer.isMatch, other.isMatch] == [true, false, false])
        }
    }

    @Test(
        "A Firebase hash at the bounds is computed",
        arguments: [
            "v=1,n=1,r=16,p=1", "v=1,n=15,r=1,p=1", "v=1,n=16,r=2,p=1", "v=1,n=1,r=32,p=2", "v=1,n=2,r=33,p=2",
            "v=1,n=1,r=33,p=3", "v=1,n=1,r=1024,p=3", "v=1,n=1,r=1024,p=16",
        ])
    func scryptBounds(_ costs: String) throws {
        let hash = try #require(StoredHash(Known.firebase(costs: costs)))
        var password = Array("user1password".utf8)
        #expect(hash.matches(&password) == false)
    }

    @Test("A new hash is Argon2id with our settings and a fresh salt, and matches only its password")
    func roundTrip() async throws {
        try await TestHasher.run { hasher, _ in
            let first = try await hasher.hash(Secret("correct horse")).reveal()
            let second = try await hasher.hash(Secret("correct horse")).reveal()
            #expect(first.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$AQEBAQEBAQEBAQEBAQEBAQ$"))
            #expect(second.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$AgICAgICAgICAgICAgICAg$"))
            #expect(try await hasher.matches(Secret("correct horse"), first) == .right(needsUpgrade: false))
            #expect(try await hasher.matches(Secret("correct hors"), first) == .wrong)
            #expect(try await hasher.matches(Secret("correct horse\0"), first) == .wrong)
            #expect(try await hasher.matches(Secret(""), first) == .wrong)
        }
    }

    private static let forms = [
        ("Pässwörter", "Pa\u{308}sswo\u{308}rter"), ("\u{C5}ngström", "\u{212B}ngstro\u{308}m"),
        ("two words", "two\u{A0}words"), ("東 京", "東\u{3000}京"), ("tô\u{323} ộ", "to\u{323}\u{302} o\u{302}\u{323}"),
    ]

    @Test("Every Unicode form of a password matches, and no other password", arguments: forms)
    func unicode(_ one: String, _ other: String) async throws {
        try await TestHasher.run { hasher, observed in
            for (set, typed) in [(one, other), (other, one)] {
                let hash = try await hasher.hash(Secret(set)).reveal()
                #expect(try await hasher.matches(Secret(typed), hash) == .right(needsUpgrade: false))
                #expect(try await hasher.matches(Secret(set), hash) == .right(needsUpgrade: false))
                #expect(try await hasher.matches(Secret(typed + "x"), hash) == .wrong)
            }
        }
    }

    @Test("A hash of the text as it was typed matches that text alone, and needs an upgrade")
    func typed() async throws {
        let settings = try #require(Argon2Settings(memoryKiB: 64, passes: 1))
        for (_, typed) in Self.forms {
            var bytes = Array(typed.utf8)
            let hash = Argon2Hash.make(settings, salt: Array(repeating: 1, count: 16), password: &bytes)?.text
            try await TestHasher.run { hasher, _ in
                let match = try await hasher.matches(Secret(typed), hash)
                let other = try await hasher.matches(Secret(OpaqueString.prepare(typed)), hash)
                #expect(match == .right(needsUpgrade: true) && other == .wrong)
                let unrelated = try await hasher.hash(Secret("another"))
                #expect(
                    try await hasher.firstMatch(of: Secret(typed), among: [unrelated.reveal(), hash ?? ""]) == 1)
                #expect(
                    try await hasher.firstMatch(of: Secret(typed + "x"), among: [unrelated.reveal(), hash ?? ""]) == nil
                )
            }
        }
    }

    @Test("Several hashes with one salt take one computation for each form of the password")
    func severalHashes() async throws {
        try await TestHasher.run { hasher, observed in
            let salt = Array(repeating: UInt8(2), count: 16)
            var stored: [String] = []
            for text in ["a", "b", "c"] { stored.append(try await hasher.hash(Secret(text), salt: salt).reveal()) }
            for (password, computations) in [("d", 1), ("d\u{E9}", 1), ("de\u{301}", 2)] {
                let before = observed.observations.count
                #expect(try await hasher.firstMatch(of: Secret(password), among: stored) == nil)
                #expect(observed.observations.count - before == computations, "\(password)")
            }
        }
    }

    @Test("An empty and a very long password have an Argon2 hash", arguments: [0, 73, 10_000])
    func lengths(_ count: Int) async throws {
        let password = Secret(String(repeating: "é", count: count))
        try await TestHasher.run { hasher, _ in
            let hash = try await hasher.hash(password).reveal()
            #expect(try await hasher.matches(password, hash) == .right(needsUpgrade: false))
        }
    }

    @Test(
        "With the production settings an imported hash matches and stays",
        arguments: [
            "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$69I7qCjDTsQwhQqFvpQJiqEI0lGQvxC84fXE0Ktxca4"
        ])
    func production(_ hash: String) async throws {
        try await TestHasher.run(settings: .owasp) { hasher, _ in
            let check = try await hasher.matches(Secret("correct horse battery"), hash)
            #expect(check == .right(needsUpgrade: false))
        }
    }

    @Test(
        "A right password reports whether its hash needs an upgrade",
        arguments: [
            ("password", Known.argon2id, PasswordCheck.right(needsUpgrade: true)),
            ("password", Known.argon2i, .right(needsUpgrade: true)),
            ("pass", Known.bcryptOfPass, .right(needsUpgrade: true)),
            ("user1password", Known.firebase(), .right(needsUpgrade: true)),
            ("wrong", Known.bcryptOfPass, .wrong),
        ])
    func upgrade(_ password: String, _ hash: String, _ expected: PasswordCheck) async throws {
        try await TestHasher.run { hasher, _ in
            let check = try await hasher.matches(Secret(password), hash)
            #expect(check == expected)
        }
    }

    @Test(
        "bcrypt reads 72 bytes: a longer password never matches, but costs the same work",
        arguments: [
            (71, false), (72, true), (73, false), (512, false), (1_000, false),
        ])
    func longPassword(_ count: Int, _ isMatch: Bool) async throws {
        try await TestHasher.run { hasher, observed in
            let password = Secret(String(repeating: "a", count: count))
            let check = try await hasher.matches(password, Known.bcryptOf72Bytes)
            #expect(check.isMatch == isMatch)
            #expect(observed.algorithms == [.bcrypt])
        }
    }

    @Test(
        "bcrypt ends at a NUL: a password with one never matches, but costs the same work",
        arguments: [
            "pass\0", "pass\0word", "\0pass",
        ])
    func nul(_ password: String) async throws {
        try await TestHasher.run { hasher, observed in
            let check = try await hasher.matches(Secret(password), Known.bcryptOfPass)
            #expect(check == .wrong)
            #expect(observed.algorithms == [.bcrypt])
        }
    }

    @Test(
        "Without a readable hash one Argon2id computation runs and the result is no match",
        arguments: [
            nil, "", "not a hash", "$2b$31$abcdefghijklmnopqrstuuXX", "$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$AAAA",
            // The decoy itself.
            "$argon2id$v=19$m=64,t=1,p=1$Z2dnZ2dnZ2dnZ2dnZ2dnZw$aGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGg",
        ])
    func unknown(_ stored: String?) async throws {
        try await TestHasher.run { hasher, observed in
            let check = try await hasher.matches(Secret("first password 1"), stored)
            #expect(check == .wrong)
            #expect(observed.algorithms == [.argon2id])
        }
    }

    @Test("Before the first password nothing is computed and no randomness is used")
    func startUp() async throws {
        try await TestHasher.run { hasher, observed in
            #expect(observed.algorithms == [])
            #expect(observed.salts == 0)
            #expect(hasher.queueDepth == 0)
        }
    }
}
