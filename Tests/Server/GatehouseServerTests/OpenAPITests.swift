import AccountDomain
import AuthServer
import Foundation
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing
import WebAuthn

@Suite("The OpenAPI document")
struct OpenAPITests {
    private static func document() throws -> AuthJSON { try JSONReader.read(APIDocument.bytes()) }

    /// By `GET /path`.
    private static func operations() throws -> [String: AuthJSON] {
        var found: [String: AuthJSON] = [:]
        for (path, methods) in try document()["paths"]?.objectValue ?? [:] {
            for (method, operation) in methods.objectValue ?? [:] {
                found["\(method.uppercased()) \(path)"] = operation
            }
        }
        return found
    }

    private static func texts(_ name: String) throws -> Set<String> {
        Set(try operations().values.flatMap { $0[name]?.arrayValue?.compactMap(\.stringValue) ?? [] })
    }

    /// Passkeys, and apps of both kinds.
    private static func addPasskeys(_ settings: inout AuthSettings) {
        var rules = PasskeyRules()
        rules.allowsSignUp = true
        settings.passkeys = rules
        let android = AppIdentifiers.Android("org.example.app=" + String(repeating: "ab", count: 32))
        let apps = AppIdentifiers(apple: ["A1B2C3D4E5.org.example.app"], android: [android].compactMap(\.self))
        // Ignored: these values are valid.
        settings.identity = (try? RelyingParty(id: "example.org", name: "E", origins: ["https://example.org"])).map {
            AppIdentity(party: $0, apps: apps)
        }
    }

    @Test("It has every route of the server, and no other")
    func routes() async throws {
        try await TestServer.with(hasPages: true, change: Self.addPasskeys) { server in
            // The account pages are no API. OpenAPI has no name for a path's rest.
            let routes = server.routes.filter { !$0.path.hasPrefix("/account") }
            let served = Set(routes.map { "\($0.method.rawValue) \($0.path.replacing("**", with: "{rest}"))" })
            let described = Set(try Self.operations().keys)
            #expect(served.subtracting(described).sorted() == [])
            #expect(described.subtracting(served).sorted() == [])
            let answer = try await server.send(.get, APIDocument.path)
            #expect(answer.status == 200 && answer["info"]?["version"] == .string(ProgramVersion.text))
            let document = try Self.document()
            #expect(answer["paths"]?.objectValue?.count == document["paths"]?.objectValue?.count)
        }
    }

    @Test("It moves with the Auth API")
    func prefix() throws {
        let moved = try JSONReader.read(APIDocument.bytes(authPrefix: "/accounts"))
        #expect(moved["paths"]?["/accounts/token"] != nil && moved["paths"]?["/v1/auth/me"] != nil)
        #expect(moved["paths"]?["/auth/v1/token"] == nil)
    }

    @Test("Names of operations are unique, and every reference leads to something")
    func references() throws {
        let document = try Self.document()
        let operations = try Self.operations()
        let ids = operations.values.compactMap { $0["operationId"]?.stringValue }
        #expect(ids.count == Set(ids).count && ids.count == operations.count)
        var open = [document]
        while let value = open.popLast() {
            open += value.arrayValue ?? Array((value.objectValue ?? [:]).values)
            guard let reference = value["$ref"]?.stringValue else { continue }
            let target = reference.split(separator: "/").dropFirst().reduce(Optional(document)) { $0?[String($1)] }
            #expect(target != nil, "\(reference)")
        }
    }

    @Test("Its parameters are those of the path")
    func parameters() throws {
        let document = try Self.document()
        for (name, operation) in try Self.operations() {
            let given = (operation["parameters"]?.arrayValue ?? []).compactMap { parameter -> String? in
                let named = parameter["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
                let whole = named.flatMap { document["components"]?["parameters"]?[$0] } ?? parameter
                return whole["in"] == "path" ? whole["name"]?.stringValue : nil
            }
            let wanted = name.matches(of: #/\{(\w+)\}/#).map { String($0.output.1) }
            #expect(given.sorted() == wanted.sorted(), "\(name)")
        }
    }

    @Test("Its error codes are ones that the program sends")
    func codes() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        var known: Set<String> = []
        let files = [
            "Client/GatehouseWire/Auth/AuthErrorCode.swift", "Server/HTTPServing/Answers/RefusalFormat.swift",
            "Server/ProfileGateway/Tokens/Bearer.swift", "Server/ProfileGateway/Routes/ProfileRoutes.swift",
            "Server/ProfileGateway/Fields/ProfileData.swift",
        ]
        for file in files {
            let text = try String(contentsOf: root.appending(path: "Sources/" + file), encoding: .utf8)
            known.formUnion(text.matches(of: #/"([a-z_0-9]+|[A-Z_]+)"/#).map { String($0.output.1) })
        }
        let codes = try Self.texts("x-error-codes")
        #expect(codes.count > 50)
        #expect(codes.subtracting(known).sorted() == [])
    }

    @Test("The settings that decide about answers exist")
    func settings() throws {
        let settings = try Self.texts("x-settings")
        #expect(settings.count > 20)
        #expect(settings.subtracting(Setting.allCases.map(\.key)).sorted() == [])
    }

    @Test("It lists every reason for the end of a session, as the program sends it")
    func reasons() throws {
        let header = try Self.document()["components"]?["responses"]?["BadRequest"]?["headers"]?[
            "X-Gatehouse-Session-End"]
        let listed = header?["schema"]?["enum"]?.arrayValue?.compactMap(\.stringValue) ?? []
        #expect(Set(listed) == Set(SessionEnd.Reason.allCases.map(\.rawValue)).subtracting(["unknown"]))
    }
}
