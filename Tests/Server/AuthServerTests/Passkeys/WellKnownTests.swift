import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing
import WebAuthn

@Suite("Files of the passkeys' domain")
struct WellKnownTests {
    private static let print = Array(repeating: "AB", count: 32).joined(separator: ":")

    private func identity(_ apps: AppIdentifiers = AppIdentifiers()) throws -> AppIdentity {
        AppIdentity(
            party: try RelyingParty(
                id: "example.org", name: "Example",
                origins: ["https://app.example.org", "https://example.com", "android:apk-key-hash:" + Self.hash],
                allowsRelatedOrigins: true),
            apps: apps)
    }

    private static let hash = Base64URL.text(Array(repeating: 0xAB, count: 32))

    private func contents(_ identity: AppIdentity, page: String? = nil) -> [String: AuthJSON] {
        let files = WellKnownFiles(identity, accountPage: page).contents
        // Ignored: the files are JSON.
        return Dictionary(uniqueKeysWithValues: files.map { ($0.path, (try? JSONReader.read($0.json)) ?? .null) })
    }

    @Test("Apps of both kinds share passkeys with the domain")
    func apps() throws {
        let android = try #require(AppIdentifiers.Android("org.example.app=" + Self.print.lowercased()))
        let other = try #require(
            AppIdentifiers.Android("org.example.app=" + String(repeating: "cd", count: 32)))
        let files = contents(
            try identity(AppIdentifiers(apple: ["A1B2C3D4E5.org.example.app"], android: [android, other])))
        #expect(
            files["/.well-known/apple-app-site-association"]
                == ["webcredentials": ["apps": ["A1B2C3D4E5.org.example.app"]]])
        let statements = try #require(files["/.well-known/assetlinks.json"]?.arrayValue)
        #expect(statements.count == 1)
        #expect(statements[0]["target"]?["package_name"] == "org.example.app")
        let prints = try #require(statements[0]["target"]?["sha256_cert_fingerprints"]?.arrayValue)
        #expect(prints.count == 2 && prints[0].stringValue == Self.print)
        #expect(android.origin == "android:apk-key-hash:" + Self.hash)
    }

    @Test("Without apps and pages only the related origins are there")
    func plain() throws {
        let files = contents(try identity())
        #expect(Array(files.keys) == ["/.well-known/webauthn"])
        #expect(files["/.well-known/webauthn"] == ["origins": ["https://app.example.org", "https://example.com"]])
        let page = "https://accounts.example.org/account/passkeys"
        #expect(
            contents(try identity(), page: page)["/.well-known/passkey-endpoints"]
                == ["enroll": .string(page), "manage": .string(page)])
    }

    @Test("Malformed identifiers of apps are refused")
    func malformed() {
        for text in ["", "org.example.app", "=AB", "org.example.app=AB", "a b=" + Self.print, "a=b=" + Self.print] {
            #expect(AppIdentifiers.Android(text) == nil)
        }
        for text in ["", "org.example.app", "A1B2C3D4E5", "A1B2C3D4E5.", "A1B2C3D4E5.a b", "A1B2C3D4E.org.example"] {
            #expect(!AppIdentifiers.isApple(text))
        }
    }

    @Test("The server publishes them at its root, for every site and cache")
    func published() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            let answer = try await server.send(.get, "/.well-known/webauthn")
            #expect(answer.status == 200)
            #expect(answer.json == ["origins": .array([.string(PasskeyClient.origin)])])
            #expect(answer.headers[.cacheControl] == "public, max-age=3600")
            #expect(try await server.send(.get, "/.well-known/assetlinks.json").status == 404)
        }
        try await TestServer.with { server in
            let answer = try await server.send(.get, "/.well-known/webauthn")
            #expect(answer.status == 404)
        }
    }
}
