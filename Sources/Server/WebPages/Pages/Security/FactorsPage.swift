import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

/// The pages of the second factors that a user adds: authenticator apps (RFC 6238), and security keys (WebAuthn), which the
/// script of the page creates.
enum FactorPage: Sendable {
    case apps, keys

    var place: Place { self == .apps ? .authenticator : .securityKeys }
    var type: AuthFactorType { self == .apps ? .totp : .webAuthn }

    func shown(of user: AuthUser) -> [AuthFactor] {
        self == .apps ? SecondSteps(user).apps : SecondSteps(user).keys
    }
}

extension WebPages {
    func showFactors(_ page: FactorPage) -> Handler {
        { visit in .page(visit.factorPage(page, try await visit.user())) }
    }

    /// Begins to add a factor, confirms it, or removes one, as the field `act` says.
    func changeFactors(_ page: FactorPage) -> Handler {
        { visit in
            let user = try await visit.user()
            do {
                switch visit.fields["act"] {
                case "add": return .page(try await visit.enroll(page, user))
                case "confirm": return try await page == .apps ? visit.confirmApp() : visit.confirmKey(user)
                case "remove" where visit.fields["sure"] == nil: return .page(visit.removalPage(page))
                case "remove":
                    try await visit.callAsUser(.delete, "/factors/\(visit.factorOfForm)")
                    visit.session.flash = page == .apps ? .factorRemoved : .keyRemoved
                default: break
                }
            } catch let refusal as CallRefusal where !refusal.needsProof {
                return .page(visit.factorPage(page, user, .problem(visit.message(for: refusal))))
            }
            return .go(page.place)
        }
    }
}

extension Visit {
    /// Of the form, for a path.
    var factorOfForm: String { FormText.escape((fields["factor"] ?? "").cut(to: 64)) }

    private func title(_ page: FactorPage) -> String {
        page == .apps ? say("Authenticator App") : say("Security Key")
    }

    fileprivate func factorPage(_ kind: FactorPage, _ user: AuthUser, _ notice: Notice? = nil) -> Page {
        var page = accountPage(title(kind), notice)
        page.back = (say("Security"), Place.security.path)
        let factors = kind.shown(of: user)
        page.blocks = [
            .text(
                kind == .apps
                    ? say(
                        "An authenticator app on your phone shows a new code every 30 seconds. You enter it when you sign in."
                    )
                    : say("When you sign in, you also touch a security key, or unlock this device."))
        ]
        if !factors.isEmpty { page.blocks.append(.rows(factors.map { row($0, kind) })) }
        let another = kind == .apps ? say("Add Another App") : say("Add Another Key")
        page.blocks.append(
            .form(
                Form(
                    action: kind.place.path, hidden: [("act", "add")],
                    button: factors.isEmpty ? say("Set Up") : another, style: factors.isEmpty ? .main : .plain)))
        return page
    }

    private func row(_ factor: AuthFactor, _ kind: FactorPage) -> Row {
        let name = factor.friendlyName?.shown ?? title(kind)
        var row = Row(title: name, details: [say("Added on %@.", language.day(factor.createdAt))])
        row.form = Form(
            action: kind.place.path,
            hidden: [("act", "remove"), ("factor", factor.id.uuidString.lowercased()), ("name", name)],
            button: say("Remove"), label: say("Remove %@", name), style: .plain)
        return row
    }

    /// A new factor, whose secret the server shows only once. A key that an earlier try did not add gets another one.
    fileprivate mutating func enroll(_ page: FactorPage, _ user: AuthUser) async throws -> Page {
        let base = title(page)
        let names = [base] + (2...20).map { "\(base) \($0)" }
        // One with another name may be a stranger's, with what the stranger wants the user to read.
        let waiting = (user.factors ?? []).first { factor in
            factor.factorType == .webAuthn && factor.status == .unverified
                && names.contains { $0 == factor.friendlyName }
        }
        if page == .keys, let waiting { return try await keyPage(waiting.id) }
        let taken = (user.factors ?? []).compactMap(\.friendlyName)
        let name = names.first { name in !taken.contains { $0 == name } } ?? base
        let body: JSONObject = [
            "factor_type": .string(page.type.rawValue), "friendly_name": .string(name),
            "issuer": .string(pages.settings.branding.name),
        ]
        let factor: AuthEnrolledFactor
        do {
            factor = try AuthEnrolledFactor(json: await callAsUser(.post, "/factors", body))
        } catch let refusal as CallRefusal where refusal.code == .tooManyEnrolledMFAFactors {
            // The page does not show those that were never confirmed, and that a stolen session may have made.
            for old in user.factors ?? [] where old.status == .unverified {
                try await callAsUser(.delete, "/factors/\(old.id.uuidString.lowercased())")
            }
            factor = try AuthEnrolledFactor(json: await callAsUser(.post, "/factors", body))
        }
        guard page == .apps else { return try await keyPage(factor.id) }
        guard let totp = factor.totp else { throw CallFailed(cause: nil) }
        return setUpPage(
            factor.id.uuidString.lowercased(), key: totp.secret, picture: totp.qrCode, address: totp.uri)
    }

    /// Goes on in the session that a new factor raised.
    private mutating func added(_ flash: Flash, _ answer: AnyJSON, _ page: FactorPage) async throws -> Outcome {
        let raised = try AuthSessionAnswer(json: answer)
        session.tokens = WebSession.Tokens(raised)
        session.flash = flash
        guard !SecondSteps(raised.user).hasRecoveryCodes else { return .go(page.place) }
        return .go(try await offer().hasRecoveryCodes ? .recoveryCodes : page.place)
    }

    fileprivate mutating func confirmApp() async throws -> Outcome {
        do {
            return try await added(.appAdded, verify(typedCode, at: "/factors/\(factorOfForm)"), .apps)
        } catch let refusal as CallRefusal where !refusal.needsProof && refusal.code != .mfaFactorNotFound {
            // The form has what the server showed only once.
            return .page(
                setUpPage(
                    (fields["factor"] ?? "").cut(to: 64), key: (fields["key"] ?? "").cut(to: 128),
                    picture: fields["picture"] ?? "", address: (fields["address"] ?? "").cut(to: 1_024),
                    .problem(message(for: refusal))))
        }
    }

    fileprivate mutating func confirmKey(_ user: AuthUser) async throws -> Outcome {
        do {
            return try await added(.keyAdded, verifyKey(creates: true, at: "/factors/\(factorOfForm)"), .keys)
        } catch let refusal as CallRefusal where refusal.isOfKey {
            return .page(factorPage(.keys, user, .problem(keyProblem)))
        }
    }

    /// The browser creates the key of a factor that has none.
    private mutating func keyPage(_ factor: UUID) async throws -> Page {
        var page = Page(say("Security Key"))
        page.back = (say("Security Key"), Place.securityKeys.path)
        page.blocks = try await keyBlocks(factor.uuidString.lowercased(), act: "confirm", at: Place.securityKeys.path)
        page.blocks.append(.soft(say("Your other devices are signed out when the key is added.")))
        return page
    }

    /// A new challenge, which the browser answers with a new key of the factor or with the one that it has.
    ///
    /// - Parameters:
    ///   - factor: The id, for a path.
    ///   - path: Of the form.
    mutating func keyBlocks(
        _ factor: String, act: String, at path: String, start: Ceremony.Start = .byPress
    ) async throws -> [Block] {
        let challenge = try AuthFactorChallenge(json: await callAsUser(.post, "/factors/\(factor)/challenge"))
        guard let webAuthn = challenge.webAuthn else { throw CallFailed(cause: nil) }
        let ceremony = Ceremony(
            kind: webAuthn.creates ? .create : .get, options: webAuthn.credentialOptions, start: start)
        return [
            .text(say("Touch the key, or unlock this device, when your browser asks.")),
            .form(
                Form(
                    action: path,
                    hidden: [
                        ("act", act), ("factor", factor), ("challenge", challenge.id.uuidString.lowercased()),
                    ], ceremony: ceremony, button: say("Continue"))),
            .unscripted(say("This browser cannot use security keys, or does not allow scripts.")),
        ]
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
            .soft(say("Or enter this key in the app:")), .key(key.inGroups()),
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

    fileprivate func removalPage(_ kind: FactorPage) -> Page {
        let name = (fields["name"] ?? "").cut(to: 256).shown
        var page = Page(say("Remove %@", name))
        page.back = (title(kind), kind.place.path)
        page.blocks = [
            .text(
                kind == .apps
                    ? say("You will no longer need its codes to sign in. Delete the entry in the app, too.")
                    : say("You will then sign in without it.")),
            .form(
                Form(
                    action: kind.place.path,
                    hidden: [("act", "remove"), ("sure", "yes"), ("factor", (fields["factor"] ?? "").cut(to: 64))],
                    button: say("Remove"), style: .danger)),
        ]
        return page
    }
}
