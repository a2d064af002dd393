import GatehouseWire
import HTTPServing
import HTTPTypes

struct SecurityPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/security") { try await $0.show() },
        takes("/security") { try await $0.changePassword() },
    ]

    mutating func show() async throws -> Outcome {
        let user = try await visit.user()
        return .page(try await page(user, visit.offer()))
    }

    mutating func changePassword() async throws -> Outcome {
        let user = try await visit.user()
        let offer = try await visit.offer()
        if let problem = visit[NewPasswordPage.self].confirmationProblem {
            return .page(try await page(user, offer, .problem(problem)))
        }
        var body: AuthJSONObject = ["password": .string(visit.fields["password"] ?? "")]
        body["current_password"] = visit.fields["current"].map(AuthJSON.string)
        body["nonce"] = visit.fields["code"] == nil ? nil : .string(visit.typedCode)
        do {
            try await visit.callAsUser(.put, "/user", body)
        } catch let refusal as CallRefusal where refusal.code == .reauthenticationNeeded {
            return .page(try await pageWithCode(user, offer))
        } catch let refusal as CallRefusal where !refusal.needsProof {
            let notice = Notice.problem(visit.message(for: refusal))
            return .page(try await page(user, offer, notice, asks: refusal.code))
        }
        visit.session.flash = .passwordSaved
        return .go(.security)
    }
}

extension SecurityPage {
    /// Sends the required code, and asks for it with the new password.
    private mutating func pageWithCode(_ user: AuthUser, _ offer: ServerOffer) async throws -> Page {
        do {
            try await visit.callAsUser(.get, "/reauthenticate")
        } catch let refusal as CallRefusal where refusal.status == 429 {
            // A recently sent code is still valid.
        }
        let recipient = user.email?.readableAddress ?? user.phone.map(CallingCode.formatted) ?? ""
        let sent = Notice.done(say("We've sent a code to %@.", recipient))
        return try await page(user, offer, sent, asks: .reauthenticationNeeded)
    }

    private mutating func menu(_ user: AuthUser, _ offer: ServerOffer) async throws -> [Link] {
        let steps = SecondSteps(user)
        var menu: [Link] = []
        if offer.hasPasskeys {
            let passkeys = try AuthPasskey.list(json: await visit.callAsUser(.get, "/passkeys"))
            let names = passkeys.prefix(3).map(\.shownName).joined(separator: ", ")
            menu.append(
                Link(
                    title: say("Passkeys"), address: Place.passkeys.path,
                    detail: passkeys.isEmpty ? say("No passkeys") : names))
        }
        if offer.hasApps || !steps.apps.isEmpty {
            menu.append(
                Link(
                    title: say("Authenticator App"), address: Place.authenticator.path,
                    detail: steps.apps.isEmpty ? say("Off") : say("On")))
        }
        if offer.hasKeys || !steps.keys.isEmpty {
            menu.append(
                Link(
                    title: say("Security Key"), address: Place.securityKeys.path,
                    detail: steps.keys.isEmpty ? say("Off") : say("On")))
        }
        if offer.hasPhoneFactors || !steps.phones.isEmpty {
            menu.append(
                Link(
                    title: say("Phone Number"), address: Place.phoneFactors.path,
                    detail: steps.phones.isEmpty ? say("Off") : say("On")))
        }
        if steps.hasRecoveryCodes, let status = try await visit[RecoveryCodesPage.self].status() {
            menu.append(
                Link(
                    title: say("Recovery Codes"), address: Place.recoveryCodes.path,
                    detail: say("%@ of %@ codes are left.", String(status.remaining), String(status.total))))
        } else if steps.exist, offer.hasRecoveryCodes {
            menu.append(Link(title: say("Recovery Codes"), address: Place.recoveryCodes.path, detail: say("Off")))
        }
        return menu
    }

    /// - Parameter asks: Why the server refused the last attempt.
    private mutating func page(
        _ user: AuthUser, _ offer: ServerOffer, _ notice: Notice? = nil, asks: AuthErrorCode? = nil
    ) async throws -> Page {
        var page = visit.accountPage(say("Security"), notice)
        let hasPassword = user.signInMethods.contains { $0.provider == "email" }
        var fields = visit[NewPasswordPage.self].fields(offer, asks)
        if asks == .reauthenticationNeeded || visit.entered("code") != nil { fields.insert(visit.codeField, at: 0) }
        page.blocks = [
            .menu(try await menu(user, offer)),
            .heading(hasPassword ? say("Change Password") : say("Set a Password")),
            .form(
                Form(
                    action: Place.security.path, fields: fields, hidden: [("minimum", String(offer.passwordLength))],
                    button: say("Save Password"))),
            .soft(say("Your other devices will be signed out when you save.")),
        ]
        return page
    }
}
