import Foundation
import GatehouseWire
import Testing

@Suite("Shapes: the recordings of Supabase Auth are read")
struct RecordedShapesTests {
    /// For placeholders; all others become a UUID.
    private static let values = ["time": "2026-01-01T00:00:00Z", "email": "ada@example.com"]

    private static func filled(_ value: AuthJSON) -> AuthJSON {
        switch value {
        case .string(let text) where text.hasPrefix("{{") && text.hasSuffix("}}"):
            .string(values[String(text.dropFirst(2).dropLast(2))] ?? "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10")
        case .array(let elements): .array(elements.map(filled))
        case .object(let members):
            .object(AuthJSONObject(Dictionary(uniqueKeysWithValues: members.map { ($0, filled($1)) })))
        default: value
        }
    }

    /// Those with a JSON object. (`{{raw}}` is text.)
    private static func answers() throws -> [(status: Int64, body: AuthJSON)] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Golden/recordings")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.flatMap { file in
            let recording = try JSONReader.read(Array(Data(contentsOf: file)))
            let steps = (recording["cases"]?.arrayValue ?? []).flatMap { $0["steps"]?.arrayValue ?? [] }
            return steps.compactMap { step -> (status: Int64, body: AuthJSON)? in
                guard let answer = step["answer"], let status = answer["status"]?.intValue, let body = answer["body"],
                    body.objectValue != nil, body["{{raw}}"] == nil
                else { return nil }
                return (status, filled(body))
            }
        }
    }

    /// Members that reading and writing loses or changes. An empty value may be absent.
    private static func lost(_ recorded: AuthJSON) throws -> Set<String> {
        let user = try AuthUser(json: recorded)
        var writer = JSONWriter()
        user.write(to: &writer)
        let written = try JSONReader.read(writer.bytes)
        #expect(try AuthUser(json: written) == user)
        let empty: [AuthJSON?] = [nil, .null, "", false, .array([]), .object([:])]
        let members = try #require(recorded.objectValue)
        return Set(
            members.map(\.key).filter { name in
                members[name] != written[name] && !(empty.contains(members[name]) && empty.contains(written[name]))
            })
    }

    @Test("Every user and session of the recordings keeps its members through the client's types")
    func users() throws {
        var (sessions, users, lists) = (0, 0, 0)
        var lost: Set<String> = []
        for (_, body) in try Self.answers() {
            // Some recordings omit members or the token's lifetime.
            if body["access_token"] != nil, body["expires_in"]?.intValue != nil {
                let session = try AuthSessionAnswer(json: body)
                #expect(session.accessToken == body["access_token"]?.stringValue)
                lost.formUnion(try Self.lost(try #require(body["user"])))
                sessions += 1
            } else if body["identities"] != nil {
                lost.formUnion(try Self.lost(body))
                users += 1
            } else if body["users"] != nil {
                _ = try AuthUser.list(json: body)
                lists += 1
            }
        }
        #expect(sessions > 10 && users > 10 && lists > 0)
        // The client ignores administrators' links and some members of a factor.
        let unread = ["action_link", "email_otp", "hashed_token", "verification_type", "redirect_to", "factors"]
        #expect(lost == Set(unread))
    }

    @Test("Every refusal of the recordings has a message, and a code unless it is OAuth's")
    func errors() throws {
        let refused = try Self.answers().filter { $0.status >= 400 }
        for (_, body) in refused {
            let answer = AuthErrorAnswer(body: Array(body.text.utf8))
            #expect(answer.message != "no message", "\(body)")
            // One recording has PostgreSQL's number instead of a code.
            #expect(answer.code != nil || body["error"] != nil || body["code"] == "23505", "\(body)")
        }
        #expect(refused.count > 50)
    }
}
