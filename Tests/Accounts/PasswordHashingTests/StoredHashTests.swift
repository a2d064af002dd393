import PasswordHashing
import Testing

@Suite("Stored hashes")
struct StoredHashTests {
    @Test(
        "A hash in a known format is read",
        arguments: [
            (Known.argon2id, HashAlgorithm.argon2id),
            (Known.argon2i, .argon2i),
            (Known.argon2idFourLanes, .argon2id),
            (Known.bcrypt(prefix: "$2a$04$"), .bcrypt),
            (Known.bcrypt(prefix: "$2b$10$"), .bcrypt),
            (Known.bcrypt(prefix: "$2y$16$"), .bcrypt),
            (Known.firebase(), .firebaseScrypt),
            (Known.firebase(costs: "v=1,n=20,r=8,p=1"), .firebaseScrypt),
            ("$argon2id$v=19$m=1048576,t=20,p=16$c29tZXNhbHQ$\(Known.tag)", .argon2id),
        ])
    func read(_ text: String, _ algorithm: HashAlgorithm) {
        #expect(StoredHash(text)?.algorithm == algorithm)
    }

    @Test(
        "Any other text is not a hash",
        arguments: [
            "", "$", "first password 1", "plain:first password 1", "$1$salt$hash", "$argon2id$",
            "$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=1,keyid=a$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=1,data=YQ$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=1048577,t=2,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=21,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=17$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=0$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=31,t=2,p=4$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=+256,t=2,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=0256,t=2,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=99999999999999999999,t=2,p=1$c29tZXNhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=1$c2FsdA$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$AAAA",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZ!NhbHQ$\(Known.tag)",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$\(Known.tag)$",
            Known.bcrypt(prefix: "$2x$10$"), Known.bcrypt(prefix: "$2b$03$"), Known.bcrypt(prefix: "$2b$17$"),
            Known.bcrypt(prefix: "$2b$31$"), Known.bcrypt(prefix: "$2b$+9$"), Known.bcrypt(prefix: "$2b$4$"),
            String(Known.bcrypt(prefix: "$2b$10$").dropLast()), Known.bcrypt(prefix: "$2b$10$") + "a",
            Known.bcrypt(prefix: "$2b$10$").replacing("x", with: "!"),
            Known.firebase(costs: "v=2,n=14,r=8,p=1"), Known.firebase(costs: "v=1,n=21,r=8,p=1"),
            Known.firebase(costs: "v=1,n=20,r=8,p=2"), Known.firebase(costs: "v=1,n=0,r=8,p=1"),
            Known.firebase(costs: "v=1,n=14,r=0,p=1"), Known.firebase(costs: "v=1,n=14,r=8,p=0"),
            Known.firebase(costs: "v=1,n=64,r=8,p=1"), Known.firebase(costs: "v=1,n=14,r=9223372036854775807,p=1"),
            Known.firebase(costs: "v=1,n=1,r=17,p=1"), Known.firebase(costs: "v=1,n=16,r=1,p=1"),
            Known.firebase(costs: "v=1,n=1,r=33,p=2"),
            Known.firebase(costs: "n=14,r=8,p=1"), Known.firebase(keys: "ss=Bw==,sk=YQ=="),
            Known.firebase(keys: "ss=Bw=="), Known.firebase(salt: ""), Known.firebase(salt: "42xEC+ixf3L2lw"),
        ])
    func refused(_ text: String) {
        #expect(StoredHash(text)?.algorithm == nil)
    }

    @Test(
        "Every hash is upgraded, except Argon2id with our cost up to four times that",
        arguments: [
            ("$argon2id$v=19$m=256,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", false),
            ("$argon2id$v=19$m=512,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", false),
            ("$argon2id$v=19$m=512,t=4,p=1$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", false),
            ("$argon2id$v=19$m=513,t=4,p=1$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", true),
            ("$argon2id$v=19$m=1048576,t=20,p=1$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", true),
            ("$argon2id$v=19$m=255,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", true),
            ("$argon2id$v=19$m=256,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", true),
            ("$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$\(Known.tag)", true),
            ("$argon2id$v=19$m=256,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg", true),
            ("$argon2i$v=19$m=512,t=3,p=1$MDEyMzQ1Njc4OWFiY2RlZg$\(Known.tag)", true),
            (Known.bcrypt(prefix: "$2b$16$"), true),
            (Known.firebase(), true),
        ])
    func upgrade(_ text: String, _ expected: Bool) throws {
        let settings = try #require(Argon2Settings(memoryKiB: 256, passes: 2))
        #expect(StoredHash(text)?.needsUpgrade(to: settings) == expected)
    }

    @Test(
        "An import accepts no hash whose check takes longer than a quarter of a second",
        arguments: [
            (Known.argon2id, true), (Known.bcrypt(prefix: "$2b$12$"), true), (Known.bcrypt(prefix: "$2b$13$"), false),
            ("$argon2id$v=19$m=65536,t=4,p=4$c29tZXNhbHQ$\(Known.tag)", true),
            ("$argon2id$v=19$m=65536,t=5,p=4$c29tZXNhbHQ$\(Known.tag)", false),
            ("$argon2id$v=19$m=32768,t=8,p=4$c29tZXNhbHQ$\(Known.tag)", true),
            ("$argon2id$v=19$m=65537,t=1,p=4$c29tZXNhbHQ$\(Known.tag)", false),
            ("$argon2i$v=19$m=1048576,t=20,p=16$c29tZXNhbHQ$\(Known.tag)", false),
            (Known.firebase(), true), (Known.firebase(costs: "v=1,n=15,r=8,p=1"), true),
            (Known.firebase(costs: "v=1,n=16,r=8,p=1"), false),
        ])
    func affordable(_ text: String, _ expected: Bool) {
        #expect(StoredHash(text)?.isAffordable == expected)
    }

    @Test(
        "A hash does not print itself",
        arguments: [
            (Known.argon2id, "<argon2id hash>"), (Known.bcrypt(prefix: "$2b$10$"), "<bcrypt hash>"),
        ])
    func printing(_ text: String, _ expected: String) throws {
        let hash = try #require(StoredHash(text))
        var dumped = ""
        dump(hash, to: &dumped)
        #expect(String(describing: hash) == expected)
        #expect(String(reflecting: hash) == expected)
        #expect(!dumped.contains("salt") && !dumped.contains("$"))
    }

    @Test(
        "Settings outside the limits cannot be created",
        arguments: [
            (8, 1, 1, 16, 32, true), (7, 1, 1, 16, 32, false), (16, 1, 2, 16, 32, true), (15, 1, 2, 16, 32, false),
            (1_048_576, 20, 16, 48, 64, true), (1_048_577, 1, 1, 16, 32, false), (8, 21, 1, 16, 32, false),
            (8, 0, 1, 16, 32, false), (136, 1, 17, 16, 32, false), (8, 1, 0, 16, 32, false), (8, 1, 1, 7, 32, false),
            (8, 1, 1, 49, 32, false), (8, 1, 1, 16, 11, false), (8, 1, 1, 16, 65, false),
        ])
    func settings(_ memory: Int, _ passes: Int, _ lanes: Int, _ salt: Int, _ tag: Int, _ exist: Bool) {
        let settings = Argon2Settings(
            memoryKiB: memory, passes: passes, lanes: lanes, saltBytes: salt, tagBytes: tag)
        #expect((settings != nil) == exist)
    }

    @Test("New hashes have OWASP's cost")
    func owasp() {
        #expect(Argon2Settings.owasp == Argon2Settings(memoryKiB: 19_456, passes: 2, lanes: 1))
    }
}
