import GatehouseWire
import HTTPServing
import HTTPTypes

/// Takes the code that a television or a terminal shows (RFC 8628 §3.3).
struct DeviceCodePage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/device") { try await $0.show() },
        takes("/device") { try await $0.look() },
    ]

    /// Never continues by itself: the code may be another person's (RFC 8628 §3.3.1).
    mutating func show() async throws -> Outcome {
        if visit.fields["user_code"] == nil, let asked = visit.askedPage(.device) { return asked }
        return .page(page(try await visit.user()))
    }

    mutating func look() async throws -> Outcome {
        if visit.fields["act"] == "switch" {
            visit.returnHere()
            return .move(Place.signIn.path + "?again=yes")
        }
        do {
            let json = try await visit.callAsUser(
                .get, "/oauth/device?user_code=\(FormText.escape(visit.typedCode.cut(to: 32)))")
            guard let id = json["authorization_id"]?.stringValue else {
                return .page(Page(say("Device Connected"), [.text(say("You can go back to your device."))]))
            }
            return .move(Place.consent.path(about: id))
        } catch let refusal as CallRefusal where refusal.code == .oauthAuthorizationNotFound {
            return .page(page(try await visit.user(), problem: visit.wrongCode))
        }
    }
}

extension DeviceCodePage {
    private func page(_ user: AuthUser, problem: String? = nil) -> Page {
        var page = Page(say("Connect a Device"))
        let typed = (visit.fields["code"] ?? visit.fields["user_code"] ?? "").shown(atMost: 32)
        var code = Field(kind: .text, name: "code", label: say("Code"), value: typed, maximumLength: 32)
        (code.isFocused, code.isLatin, code.problem) = (true, true, problem)
        let email = user.email?.readableAddress ?? "–"
        var account = Row(title: say("Your account"), details: [visit.alone(email)])
        account.form = Form(
            action: Place.device.path, hidden: [("act", "switch"), ("code", typed)],
            button: say("Use Another Account"), style: .plain)
        page.blocks = [
            .text(say("Enter the code that your device shows.")),
            .form(Form(action: Place.device.path, fields: [code], button: say("Continue"))),
            .rows([account]),
        ]
        return page
    }
}
