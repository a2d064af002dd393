import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

extension WebPages {
    @Sendable func home(_ visit: inout Visit) async throws -> Outcome {
        let user = try await visit.user()
        var menu = [
            visit.entry(.security, visit.say("Security")),
            visit.entry(.email, user.email == nil ? visit.say("Add Email") : visit.say("Change Email")),
            visit.entry(.methods, visit.say("Sign-In Methods")),
            visit.entry(.devices, visit.say("Devices")),
        ]
        if settings.hasGateway { menu.insert(visit.entry(.profile, visit.say("Profile")), at: 0) }
        menu.append(visit.entry(.data, visit.say("Your Data")))
        if settings.hasGateway { menu.append(visit.entry(.delete, visit.say("Delete Account"))) }
        return .page(
            Page(
                visit.say("Account"),
                [
                    .soft(visit.say("Your email is %@.", user.email?.readableAddress ?? "–"))
                ] + visit.standing(of: user) + [
                    .menu(menu),
                    .form(Form(action: Place.prefix + "/sign-out", button: visit.say("Sign Out"), style: .plain)),
                ]))
    }

    @Sendable func showDevices(_ visit: inout Visit) async throws -> Outcome {
        let sessions = try SessionInfo.list(json: await visit.callAsUser(.get, "/sessions"))
        var page = visit.accountPage(visit.say("Devices"))
        let own = sessions.filter(\.isCurrent)
        let others = sessions.filter { !$0.isCurrent }
        page.blocks.append(.rows((own + others).map(visit.row)))
        guard !others.isEmpty else { return .page(page) }
        page.blocks.append(
            .form(
                Form(
                    action: Place.devices.path, hidden: [("session", "others")],
                    button: visit.say("Sign Out All Other Devices"), style: .danger)))
        return .page(page)
    }

    /// The session with this id, or all but the own one.
    @Sendable func endDevice(_ visit: inout Visit) async throws -> Outcome {
        let session = visit.fields["session"] ?? ""
        guard session != "others" else {
            try await visit.callAsUser(.post, "/logout?scope=others")
            visit.session.flash = .othersEnded
            return .go(.devices)
        }
        do {
            try await visit.callAsUser(.delete, "/sessions/\(FormText.escape(session.cut(to: 64)))")
        } catch let refusal as CallRefusal where refusal.code == .notFound {
            // Ended already.
        }
        visit.session.flash = .deviceEnded
        return .go(.devices)
    }

    @Sendable func showSecurity(_ visit: inout Visit) async throws -> Outcome {
        let user = try await visit.user()
        return .page(try await visit.securityPage(user, visit.offer()))
    }

    @Sendable func changePassword(_ visit: inout Visit) async throws -> Outcome {
        let user = try await visit.user()
        let offer = try await visit.offer()
        if let problem = visit.confirmationProblem {
            return .page(try await visit.securityPage(user, offer, .problem(problem)))
        }
        var body: JSONObject = ["password": .string(visit.fields["password"] ?? "")]
        body["current_password"] = visit.fields["current"].map(AnyJSON.string)
        body["nonce"] = visit.fields["code"] == nil ? nil : .string(visit.typedCode)
        do {
            try await visit.callAsUser(.put, "/user", body)
        } catch let refusal as CallRefusal where refusal.code == .reauthenticationNeeded {
            return .page(try await visit.pageWithCode(user, offer))
        } catch let refusal as CallRefusal where !refusal.needsProof {
            let notice = Notice.problem(visit.message(for: refusal))
            return .page(try await visit.securityPage(user, offer, notice, asks: refusal.code))
        }
        visit.session.flash = .passwordSaved
        return .go(.security)
    }
}

extension Visit {
    fileprivate func entry(_ place: Place, _ title: String) -> Link { Link(title: title, address: place.path) }

    /// What the user should know about the account: a moved address, and what was set aside.
    func standing(of user: AuthUser) -> [Block] {
        let moved = user.formerEmail.map {
            say(
                "%@ now belongs to another account. Emailed codes no longer open this one. Other sign-in methods do.",
                $0.readableAddress)
        }
        return ([moved].compactMap(\.self) + user.setAside.map(sentence)).map(Block.text)
    }

    private func sentence(_ credential: AuthSetAsideCredential) -> String {
        switch credential.kind {
        case .password:
            say("Your earlier password is set aside. To use it again, sign in with it and enter the code we email you.")
        case .passkey(_, let name?):
            say(
                "The passkey “%@” is set aside. To use it again, sign in with it and enter the code we email you.", name
            )
        case .passkey:
            say("A passkey is set aside. To use it again, sign in with it and enter the code we email you.")
        case .identity(_, let provider):
            say(
                "%@ is set aside. To use it again, sign in with it and confirm that this account is yours.",
                ServerOffer.name(provider))
        }
    }

    /// A page below the home page.
    func accountPage(_ title: String, _ notice: Notice? = nil) -> Page {
        var page = Page(title)
        page.back = (say("Account"), Place.home.path)
        page.notice = notice
        return page
    }

    fileprivate func row(_ session: SessionInfo) -> Row {
        let device = session.device
        let name = device?.name.shown ?? say("Unknown Device")
        var row = Row(title: name, badge: session.isCurrent ? say("This Device") : nil)
        row.details = [device?.details?.shown, session.ipAddress?.shown].compactMap(\.self)
        guard !session.isCurrent else { return row }
        row.details.append(say("Last used %@", language.day(session.lastUsedAt)))
        row.form = Form(
            action: Place.devices.path, hidden: [("session", session.id.uuidString.lowercased())],
            button: say("Sign Out"), label: say("Sign out %@", name), style: .plain)
        return row
    }

    /// Mails the code that the server asks for, and asks for it beside the new password.
    fileprivate mutating func pageWithCode(_ user: AuthUser, _ offer: ServerOffer) async throws -> Page {
        do {
            try await callAsUser(.get, "/reauthenticate")
        } catch let refusal as CallRefusal where refusal.status == 429 {
            // A code that was mailed a moment ago is as good.
        }
        let sent = Notice.done(say("We have sent a code to %@.", user.email?.readableAddress ?? ""))
        return try await securityPage(user, offer, sent, asks: .reauthenticationNeeded)
    }

    /// Other ways to prove who the user is, with what there is of each.
    private mutating func securityMenu(_ user: AuthUser, _ offer: ServerOffer) async throws -> [Link] {
        let steps = SecondSteps(user)
        var menu: [Link] = []
        if offer.hasPasskeys {
            let passkeys = try AuthPasskey.list(json: await callAsUser(.get, "/passkeys"))
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
        if steps.hasRecoveryCodes, let status = try await recoveryStatus() {
            menu.append(
                Link(
                    title: say("Recovery Codes"), address: Place.recoveryCodes.path,
                    detail: say("%@ of %@ codes are left.", String(status.remaining), String(status.total))))
        } else if steps.exist, offer.hasRecoveryCodes {
            menu.append(Link(title: say("Recovery Codes"), address: Place.recoveryCodes.path, detail: say("Off")))
        }
        return menu
    }

    /// - Parameter asks: Why the server refused the last try.
    fileprivate mutating func securityPage(
        _ user: AuthUser, _ offer: ServerOffer, _ notice: Notice? = nil, asks: AuthErrorCode? = nil
    ) async throws -> Page {
        var page = accountPage(say("Security"), notice)
        let hasPassword = user.signInMethods.contains { $0.provider == "email" }
        var fields = newPasswordFields(offer, asks)
        if asks == .reauthenticationNeeded || entered("code") != nil { fields.insert(codeField, at: 0) }
        page.blocks = [
            .menu(try await securityMenu(user, offer)),
            .heading(hasPassword ? say("Change Password") : say("Set a Password")),
            .form(
                Form(
                    action: Place.security.path, fields: fields, hidden: [("minimum", String(offer.passwordLength))],
                    button: say("Save Password"))),
            .soft(say("Your other devices are signed out when you save.")),
        ]
        return page
    }
}
