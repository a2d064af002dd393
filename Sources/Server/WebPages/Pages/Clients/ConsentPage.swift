import GatehouseWire
import HTTPServing
import HTTPTypes

/// Asks whether a client may act for the user.
struct ConsentPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/oauth") { try await $0.show() },
        takes("/oauth") { try await $0.decide() },
    ]

    mutating func show() async throws -> Outcome {
        guard !id.isEmpty else { return visit.askedPage(.consent) ?? .page(gonePage) }
        do {
            guard visit.isSignedIn, !visit.session.awaitsSecondStep else { throw SignInNeeded(wasSignedIn: false) }
            return try await answer(to: try await visit.callAsUser(.get, path))
        } catch let needed as SignInNeeded {
            if let address = try await cancelled() { return .leave(address) }
            guard visit.isSignedIn else { throw needed }
            return visit.goToSecondStep(nil)
        } catch let refusal as CallRefusal {
            return .page(try page(after: refusal))
        }
    }

    /// The field `act` decides.
    mutating func decide() async throws -> Outcome {
        guard !visit.session.awaitsSecondStep else { return visit.goToSecondStep(nil) }
        do {
            switch visit.fields["act"] {
            case "approve": return try await send("approve")
            case "deny": return try await send("deny")
            case "report": return try await send("deny", isReport: true)
            case "switch": return try await switchAccount()
            default: return .move(Place.consent.path(about: id))
            }
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(try page(after: refusal))
        }
    }
}

extension ConsentPage {
    private var id: String { (visit.fields["authorization_id"] ?? "").cut(to: 64) }
    private var path: String { "/oauth/authorizations/\(FormText.escape(id))" }

    private mutating func answer(to json: AuthJSON) async throws -> Outcome {
        if let address = try Self.redirect(json) { return .leave(address) }
        if json["status"]?.stringValue != nil { return .page(donePage(json)) }
        let request = try AccessRequest(json: json)
        if request.forbidsPages {
            let denied = try await visit.callAsUser(.post, path + "/consent", ["action": "deny"])
            guard let address = try Self.redirect(denied) else { throw CallFailed(cause: nil) }
            return .leave(address)
        }
        guard request.needsSignIn else { return .page(page(request)) }
        let outcome = await visit.askForProof()
        if case .go(.signIn) = outcome {
            // The sign-in may be with another account. Ignored: the same account still sees its request.
            _ = try? await visit.callAsUser(.post, path + "/release")
        }
        return outcome
    }

    /// Ends a request that must not show a page.
    ///
    /// - Returns: nil for any other request.
    private mutating func cancelled() async throws -> String? {
        do {
            return try Self.redirect(try await visit.call(.post, path + "/cancel?prompt=none"))
        } catch is CallRefusal {
            return nil
        }
    }

    private mutating func send(_ action: String, isReport: Bool = false) async throws -> Outcome {
        var body: AuthJSONObject = ["action": .string(action)]
        if isReport { body["report"] = true }
        let json = try await visit.callAsUser(.post, path + "/consent", body)
        // A reported client gets no visit; its request is over.
        guard !isReport, let address = try Self.redirect(json) else { return .page(donePage(json, isReport: isReport)) }
        return .onward(address)
    }

    private mutating func switchAccount() async throws -> Outcome {
        try await visit.callAsUser(.post, path + "/release")
        visit.returnHere()
        return .move(Place.signIn.path + "?again=yes")
    }

    private static func redirect(_ json: AuthJSON) throws -> String? {
        guard let address = json["redirect_url"]?.stringValue else { return nil }
        // Longer with the client's `state`.
        guard URLParts(address.cut(to: URLParts.maximumLength)) != nil else { throw CallFailed(cause: nil) }
        return address
    }
}

extension ConsentPage {
    private func page(_ request: AccessRequest) -> Page {
        let client = request.client
        var page = Page(say("“%@” Asks for Access", client.name.isEmpty ? client.id : client.name))
        if !client.isVerified {
            page.notice = .problem(say("We haven't checked who is behind this app. Its name could be made up."))
        }
        page.blocks = [.text(advice(request))]
        var asks = Row(title: visit.shownName(client), badge: client.isVerified ? say("Verified") : say("Not Verified"))
        asks.warns = !client.isVerified
        asks.details = [visit.hostSentence(client)].compactMap(\.self)
        page.blocks += [
            .rows([asks, origin(request)]), .heading(say("It Will Be Able To")),
            .points(visit.sentences(request.scopes, request.resources)),
            .rows([account(request)]),
        ]
        if let sentence = returnSentence(request) { page.blocks.append(.soft(sentence)) }
        if !request.needsOtherAccount { page.blocks.append(form("approve", say("Approve"), .main)) }
        page.blocks += [
            form("deny", say("Deny"), .plain), form("report", say("Report as Suspicious"), .quiet),
        ]
        return page
    }

    private func advice(_ request: AccessRequest) -> String {
        request.isOfDevice
            ? say(
                "A device asks for access. Approve only if it's in front of you and you started this yourself. If someone sent you the code or a link, deny the request."
            ) : say("Approve only if you started this yourself.")
    }

    private func origin(_ request: AccessRequest) -> Row {
        let device = request.agent.flatMap { DeviceName(userAgent: $0) }
        let parts = [device?.name ?? say("Unknown Device"), device?.details, request.address]
        return Row(title: say("Requested from"), details: parts.compactMap { $0.map(visit.alone) })
    }

    private func account(_ request: AccessRequest) -> Row {
        let email = request.email?.readableAddress ?? "–"
        var row = Row(title: say("Your account"), details: [visit.alone(email)])
        if let expected = request.expectedAccount {
            (row.badge, row.warns) = (say("Not the Expected Account"), true)
            let name = expected.readableAddress
            if !name.isEmpty { row.details.append(say("The app expects %@.", visit.alone(name))) }
            if request.needsOtherAccount { row.details.append(say("Only the expected account can approve.")) }
        }
        // A device's user chooses the account before the code.
        guard !request.isOfDevice else { return row }
        // For the sign-in.
        let hint = request.expectedAccount.map { [(name: "login_hint", value: $0)] } ?? []
        row.form = Form(
            action: Place.consent.path, hidden: hidden("switch") + hint, button: say("Use Another Account"),
            style: .plain)
        return row
    }

    private func returnSentence(_ request: AccessRequest) -> String? {
        guard let target = URLParts(request.redirectURI) else { return nil }
        return target.isWeb && URLParts.loopbackHosts.contains(target.host)
            ? say("You'll return to a program on this device.") : say("You'll continue to %@.", target.app)
    }

    private func form(_ act: String, _ title: String, _ style: Form.Style) -> Block {
        .form(Form(action: Place.consent.path, hidden: hidden(act), button: title, style: style))
    }

    private func hidden(_ act: String) -> [(name: String, value: String)] { [("act", act), ("authorization_id", id)] }
}

extension ConsentPage {
    private func donePage(_ json: AuthJSON, isReport: Bool = false) -> Page {
        if json["status"]?.stringValue == "approved" {
            return Page(say("Device Connected"), [.text(say("You can go back to your device."))])
        }
        return Page(
            isReport ? say("Request Reported") : say("Access Denied"),
            [.text(say("It got no access to your account. You can close this page."))])
    }

    private var gonePage: Page {
        answerPage(
            say("This request is no longer valid."),
            say("It has expired, or belongs to another account. Go back to the app and start again."), .notFound)
    }

    private func answerPage(_ cause: String, _ remedy: String, _ status: HTTPResponse.Status) -> Page {
        var page = Page(cause, [.text(remedy), .links([Link(title: say("Account"), address: Place.home.path)])])
        page.status = status
        return page
    }

    /// - Throws: A refusal that other pages may have as well.
    private func page(after refusal: CallRefusal) throws -> Page {
        switch refusal.code {
        case .oauthAuthorizationNotFound: return gonePage
        case .validationFailed:
            return answerPage(
                say("This request has already been answered."), say("Go back to the app and start again."), .badRequest)
        case .featureDisabled:
            return answerPage(
                say("This isn't available here."), say("Go back to the app and start again."), .notFound)
        default: throw refusal
        }
    }
}
