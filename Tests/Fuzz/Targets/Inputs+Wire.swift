import AuthServer
import GatehouseWire
import HTTPServing
import JSONWebTokens

extension Inputs {
    /// A parsed value is written as JSON that parses to the same value.
    static func json(_ input: [UInt8]) throws(FuzzFinding) {
        // Ignored, here and below: a refusal is as good as a value.
        _ = try? JSONReader.read(input, refusesDuplicates: true)
        // As above.
        if let members = try? JSONMembers(input) {
            // As above: of another type.
            for name in ["email", "provider", "data", ""] { _ = (try? members.string(name), try? members.object(name)) }
        }
        // Refused: nothing to write.
        guard let value = try? JSONReader.read(input) else { return }
        var writer = JSONWriter()
        writer.value(value)
        // Ignored: any error is the finding.
        guard let again = try? JSONReader.read(writer.bytes) else {
            throw FuzzFinding("what was written does not read")
        }
        try expect(again == value, "what was written reads differently")
    }

    /// No token is accepted, because no signature uses these keys.
    static func token(_ input: [UInt8]) throws(FuzzFinding) {
        let token = text(input)
        _ = SignedPayload.unverified(token)
        guard let keys = FuzzKeys.set else { throw FuzzFinding("there are no keys") }
        // Ignored: every error is an expected refusal.
        try expect((try? keys.verify(token, at: Instant(seconds: 1_800_000_000))) == nil, "a token was believed")
        // As above.
        try expect((try? keys.payload(of: token)) == nil, "a payload was believed")
        // Ignored: a refusal is as good as a value. Keys come from providers.
        if let published = try? KeySet(published: input) { _ = published.publicDocument }
    }

    /// Form and query parse alike, and the written text parses to the same value.
    static func form(_ input: [UInt8]) throws(FuzzFinding) {
        let query = Query(form: text(input))
        for name in ["state", "provider", "redirect_to", ""] { _ = query[name] }
        for (name, value) in query.parameters {
            for text in [name, value] {
                try expect(
                    FormText.read(FormText.escape(text).utf8)?.utf8.elementsEqual(text.utf8) == true, "not reversible")
            }
        }
        let again = Query(form: query.encoded(setting: "page", to: "2"))
        try expect(again["page"] == "2", "a parameter that was set is not there")
        // Invalid escapes are refused or kept.
        if let strict = FormText.read(input) {
            let lenient = FormText.readLeniently(text(input)[...].utf8)
            try expect(lenient.utf8.elementsEqual(strict.utf8), "two readings of one text")
        }
    }
}

/// Keys without any signature.
private enum FuzzKeys {
    static let set: KeySet? = {
        // Ignored: any error of our own key is the finding.
        guard let shared = try? JSONWebKey(hs256: Secret("a secret that signs nothing, 40 bytes...."), id: "a"),
            // As above.
            let own = try? JSONWebKey(es256: Array(1...32), id: "b")
        else { return nil }
        // As above.
        return try? KeySet([own], keyForTokensWithoutID: shared)
    }()
}
