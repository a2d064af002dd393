import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

struct FactorsPage: SitePage {
    var visit: Visit

    static let routes = FactorKind.allCases.flatMap { kind in
        [
            shows(kind.place.rawValue) { try await $0.show(kind) },
            takes(kind.place.rawValue) { try await $0.change(kind) },
        ]
    }

    mutating func show(_ kind: FactorKind) async throws -> Outcome { .page(page(kind, try await visit.user())) }

    /// The field `act` decides.
    mutating func change(_ kind: FactorKind) async throws -> Outcome {
        let user = try await visit.user()
        do {
            switch visit.fields["act"] {
            case "add": return .page(try await enroll(kind, user))
            case "confirm": return try await kind == .apps ? confirmApp() : confirmKey(user)
            case "remove" where visit.fields["sure"] == nil: return .page(removalPage(kind))
            case "remove":
                try await visit.callAsUser(.delete, "/factors/\(visit.factorOfForm)")
                visit.session.flash = kind == .apps ? .factorRemoved : .keyRemoved
            default: break
            }
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(page(kind, user, .problem(visit.message(for: refusal))))
        }
        return .go(kind.place)
    }
}

extension FactorsPage {
    private func title(_ kind: FactorKind) -> String {
        kind == .apps ? say("Authenticator App") : say("Security Key")
    }

    private func page(_ kind: FactorKind, _ user: AuthUser, _ notice: Notice? = nil) -> Page {
        var page = visit.accountPage(title(kind), notice)
        page.back = (say("Security"), Place.security.path)
        let factors = kind.shown(of: user)
        page.blocks = [
            .text(
                kind == .apps
                    ? say(
                        "An authenticator app on your phone shows a new code every 30 seconds. You enter it when you sign in."
                    )
                    : say("You'll confirm each sign-in with a security key or by unlocking this device."))
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

    private func row(_ factor: AuthFactor, _ kind: FactorKind) -> Row {
        let name = factor.friendlyName?.shown ?? title(kind)
        var row = Row(title: name, details: [say("Added on %@.", visit.language.day(factor.createdAt))])
        row.form = Form(
            action: kind.place.path,
            hidden: [("act", "remove"), ("factor", factor.id.uuidString.lowercased()), ("name", name)],
            button: say("Remove"), label: say("Remove %@", name), style: .plain)
        return row
    }

    /// The server shows the secret only once. A key left from an earlier attempt is replaced.
    private mutating func enroll(_ page: FactorKind, _ user: AuthUser) async throws -> Page {
        let base = title(page)
        let names = [base] + (2...20).map { "\(base) \($0)" }
        // One with another name may be a stranger's, chosen for the user to read.
        let waiting = (user.factors ?? []).first { factor in
            factor.factorType == .webAuthn && factor.status == .unverified
                && names.contains { $0 == factor.friendlyName }
        }
        if page == .keys, let waiting { return try await keyPage(waiting.id) }
        let taken = (user.factors ?? []).compactMap(\.friendlyName)
        let name = names.first { name in !taken.contains { $0 == name } } ?? base
        let body: AuthJSONObject = [
            "factor_type": .string(page.type.rawValue), "friendly_name": .string(name),
            "issuer": .string(pages.settings.branding.name),
        ]
        let factor = try await visit.enroll(body, user)
        guard page == .apps else { return try await keyPage(factor.id) }
        guard let totp = factor.totp else { throw CallFailed(cause: nil) }
        return setUpPage(
            factor.id.uuidString.lowercased(), key: totp.secret, picture: totp.qrCode, address: totp.uri)
    }

    private mutating func confirmApp() async throws -> Outcome {
        do {
            let answer = try await visit[SecondStepPage.self].verify(
                visit.typedCode, at: "/factors/\(visit.factorOfForm)")
            return try await visit.added(.appAdded, answer, .authenticator)
        } catch let refusal as CallRefusal where !refusal.needsProof && refusal.code != .mfaFactorNotFound {
            // Only the form still has what the server showed once.
            return .page(
                setUpPage(
                    (visit.fields["factor"] ?? "").cut(to: 64), key: (visit.fields["key"] ?? "").cut(to: 128),
                    picture: visit.fields["picture"] ?? "", address: (visit.fields["address"] ?? "").cut(to: 1_024),
                    .problem(visit.message(for: refusal))))
        }
    }

    private mutating func confirmKey(_ user: AuthUser) async throws -> Outcome {
        do {
            let answer = try await visit[SecondStepPage.self].verifyKey(
                creates: true, at: "/factors/\(visit.factorOfForm)")
            return try await visit.added(.keyAdded, answer, .securityKeys)
        } catch let refusal as CallRefusal where refusal.isOfKey {
            return .page(page(.keys, user, .problem(visit[SecondStepPage.self].keyProblem)))
        }
    }

    /// The browser creates the factor's key.
    private mutating func keyPage(_ factor: UUID) async throws -> Page {
        var page = Page(say("Security Key"))
        page.back = (say("Security Key"), Place.securityKeys.path)
        page.blocks = try await visit[SecondStepPage.self].keyBlocks(
            factor.uuidString.lowercased(), act: "confirm", at: Place.securityKeys.path)
        page.blocks.append(.soft(say("Your other devices will be signed out when the key is added.")))
        return page
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
                ? .text(say("Scan this QR code with your authenticator app, then enter the code that it shows.")) : nil,
            isDrawn ? .picture(Picture(svg: picture, label: say("QR code with the key below"))) : nil,
            .soft(say("Or enter this key in the app:")), .key(key.inGroups()),
            address.hasPrefix("otpauth://")
                ? .links([Link(title: say("Open an App on This Device"), address: address)]) : nil,
            .form(
                Form(
                    action: Place.authenticator.path, fields: [visit.codeField],
                    hidden: [
                        ("act", "confirm"), ("factor", factor), ("key", key), ("address", address),
                        ("picture", isDrawn ? picture : ""),
                    ], button: say("Continue"))),
            .soft(say("Your other devices will be signed out when the app is added.")),
        ].compactMap(\.self)
        return page
    }

    private func removalPage(_ kind: FactorKind) -> Page {
        let name = (visit.fields["name"] ?? "").cut(to: 256).shown
        var page = Page(say("Remove %@", name))
        page.back = (title(kind), kind.place.path)
        page.blocks = [
            .text(
                kind == .apps
                    ? say("You'll no longer need its codes to sign in. Delete the entry in the app, too.")
                    : say("After that, you'll sign in without it.")),
            .form(
                Form(
                    action: kind.place.path,
                    hidden: [
                        ("act", "remove"), ("sure", "yes"), ("factor", (visit.fields["factor"] ?? "").cut(to: 64)),
                    ],
                    button: say("Remove"), style: .danger)),
        ]
        return page
    }
}

extension Visit {
    mutating func enroll(_ body: AuthJSONObject, _ user: AuthUser) async throws -> AuthEnrolledFactor {
        do {
            return try AuthEnrolledFactor(json: await callAsUser(.post, "/factors", body))
        } catch let refusal as CallRefusal where refusal.code == .tooManyEnrolledMFAFactors {
            // A stolen session may have added these; the pages do not show them.
            for old in user.factors ?? [] where old.status == .unverified {
                try await callAsUser(.delete, "/factors/\(old.id.uuidString.lowercased())")
            }
            return try AuthEnrolledFactor(json: await callAsUser(.post, "/factors", body))
        }
    }

    /// Continues in the raised session.
    mutating func added(_ flash: Flash, _ answer: AuthJSON, _ place: Place) async throws -> Outcome {
        let raised = try AuthSessionAnswer(json: answer)
        session.tokens = WebSession.Tokens(raised)
        session.flash = flash
        guard !SecondSteps(raised.user).hasRecoveryCodes else { return .go(place) }
        return .go(try await offer().hasRecoveryCodes ? .recoveryCodes : place)
    }
}

/// Authenticator apps (RFC 6238), or security keys (WebAuthn), which the page's script creates.
enum FactorKind: CaseIterable, Sendable {
    case apps, keys

    var place: Place { self == .apps ? .authenticator : .securityKeys }
    var type: AuthFactorType { self == .apps ? .totp : .webAuthn }

    func shown(of user: AuthUser) -> [AuthFactor] {
        self == .apps ? SecondSteps(user).apps : SecondSteps(user).keys
    }
}
