import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

// Authenticator apps (RFC 6238).
extension WebPages {
    @Sendable func showAuthenticator(_ visit: inout Visit) async throws -> Outcome {
        .page(visit.authenticatorPage(try await visit.user()))
    }

    /// Begins to add an app, confirms it, or removes one, as the field `act` says.
    @Sendable func changeAuthenticator(_ visit: inout Visit) async throws -> Outcome {
        let user = try await visit.user()
        do {
            switch visit.fields["act"] {
            case "add": return .page(try await visit.enroll(user))
            case "confirm": return try await visit.confirmApp()
            case "remove" where visit.fields["sure"] == nil: return .page(visit.appRemovalPage())
            case "remove":
                try await visit.callAsUser(.delete, "/factors/\(visit.factorOfForm)")
                visit.session.flash = .factorRemoved
            default: break
            }
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(visit.authenticatorPage(user, .problem(visit.message(for: refusal))))
        }
        return .go(.authenticator)
    }
}

extension Visit {
    /// Of the form, for a path.
    fileprivate var factorOfForm: String { FormText.escape((fields["factor"] ?? "").cut(to: 64)) }

    fileprivate func authenticatorPage(_ user: AuthUser, _ notice: Notice? = nil) -> Page {
        var page = accountPage(say("Authenticator App"), notice)
        page.back = (say("Security"), Place.security.path)
        let apps = SecondSteps(user).apps
        page.blocks = [
            .text(
                say(
                    "An authenticator app on your phone shows a new code every 30 seconds. You enter it when you sign in."
                ))
        ]
        if !apps.isEmpty { page.blocks.append(.rows(apps.map(row))) }
        page.blocks.append(
            .form(
                Form(
                    action: Place.authenticator.path, hidden: [("act", "add")],
                    button: apps.isEmpty ? say("Set Up") : say("Add Another App"),
                    style: apps.isEmpty ? .main : .plain)))
        return page
    }

    private func row(_ app: AuthFactor) -> Row {
        let name = app.friendlyName?.shown ?? say("Authenticator App")
        var row = Row(title: name, details: [say("Added on %@.", language.day(app.createdAt))])
        row.form = Form(
            action: Place.authenticator.path,
            hidden: [("act", "remove"), ("factor", app.id.uuidString.lowercased()), ("name", name)],
            button: say("Remove"), label: say("Remove %@", name), style: .plain)
        return row
    }

    /// A new factor, whose secret the server shows only once.
    fileprivate mutating func enroll(_ user: AuthUser) async throws -> Page {
        let names = (user.factors ?? []).compactMap(\.friendlyName)
        let base = say("Authenticator App")
        let name =
            ([base] + (2...20).map { "\(base) \($0)" }).first { name in !names.contains { $0 == name } } ?? base
        let factor = try AuthEnrolledFactor(
            json: await callAsUser(
                .post, "/factors",
                [
                    "factor_type": "totp", "friendly_name": .string(name),
                    "issuer": .string(pages.settings.branding.name),
                ]))
        guard let totp = factor.totp else { throw CallFailed(cause: nil) }
        return setUpPage(
            factor.id.uuidString.lowercased(), key: totp.secret, picture: totp.qrCode, address: totp.uri)
    }

    fileprivate mutating func confirmApp() async throws -> Outcome {
        let code = String(decoding: (fields["code"] ?? "").utf8.filter { $0 > 0x20 }, as: UTF8.self)
        do {
            let answer = try AuthSessionAnswer(json: await verify(code, at: "/factors/\(factorOfForm)"))
            session.tokens = WebSession.Tokens(answer)
            session.flash = .appAdded
            guard !SecondSteps(answer.user).hasRecoveryCodes else { return .go(.authenticator) }
            return .go(try await offer().hasRecoveryCodes ? .recoveryCodes : .authenticator)
        } catch let refusal as CallRefusal where refusal.code == .mfaVerificationFailed || refusal.status == 429 {
            // The form has what the server showed only once.
            return .page(
                setUpPage(
                    (fields["factor"] ?? "").cut(to: 64), key: (fields["key"] ?? "").cut(to: 128),
                    picture: fields["picture"] ?? "", address: (fields["address"] ?? "").cut(to: 1_024),
                    .problem(message(for: refusal))))
        }
    }

    private func setUpPage(
        _ factor: String, key: String, picture: String, address: String, _ notice: Notice? = nil
    ) -> Page {
        var page = Page(say("Authenticator App"))
        page.notice = notice
        page.back = (say("Authenticator App"), Place.authenticator.path)
        let isDrawn = (1...Picture.longest).contains(picture.utf8.count)
        page.blocks = [
            isDrawn
                ? .text(say("Scan this picture with your authenticator app, then enter the code that it shows.")) : nil,
            isDrawn ? .picture(Picture(svg: picture, label: say("QR code with the key below"))) : nil,
            .soft(say("Or enter this key in the app:")), .key(key.inGroups),
            address.hasPrefix("otpauth://")
                ? .links([Link(title: say("Open an app on this device"), address: address)]) : nil,
            .form(
                Form(
                    action: Place.authenticator.path, fields: [codeField],
                    hidden: [
                        ("act", "confirm"), ("factor", factor), ("key", key), ("address", address),
                        ("picture", isDrawn ? picture : ""),
                    ], button: say("Continue"))),
            .soft(say("Your other devices are signed out when the app is added.")),
        ].compactMap(\.self)
        return page
    }

    fileprivate func appRemovalPage() -> Page {
        let name = (fields["name"] ?? "").cut(to: 256).shown
        var page = Page(say("Remove %@", name))
        page.back = (say("Authenticator App"), Place.authenticator.path)
        page.blocks = [
            .text(say("You sign in without its codes then. Delete the entry in the app, too.")),
            .form(
                Form(
                    action: Place.authenticator.path,
                    hidden: [("act", "remove"), ("sure", "yes"), ("factor", (fields["factor"] ?? "").cut(to: 64))],
                    button: say("Remove"), style: .danger)),
        ]
        return page
    }
}
