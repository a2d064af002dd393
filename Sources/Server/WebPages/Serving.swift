import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

typealias Handler = @Sendable (inout Visit) async throws -> Outcome

enum Outcome {
    case page(Page)
    case go(Place)
    /// A path of these pages, such as the console's.
    case move(String)
    /// Another server, after a link.
    case leave(String)
    /// Another server, after a form. A page leads there, because `form-action` applies to redirects (CSP 3 §6.4.1).
    case onward(String)
    case file([UInt8], name: String)
    /// For a page's script.
    case answer(Response)
}

extension WebPages {
    func answer(_ request: Request, _ context: ServerContext, _ page: PageRoute) async throws -> Response {
        if let address = otherName(request) { return Answer.redirect(to: address) }
        let isForm = request.method == .post
        let known = cookie.read(request).flatMap { $0.isOver(at: now()) ? nil : $0 }
        let fields =
            isForm
            ? Query(form: String(decoding: try await request.bytes(context), as: UTF8.self)) : Query(request)
        var session = known ?? WebSession(formToken: randomBytes(16))
        let (flash, sentence) = (session.flash, session.sentence)
        (session.flash, session.sentence) = (nil, nil)
        if let end = session.handover?.expiresAt, end <= now().seconds { session.handover = nil }
        if let end = session.asked?.expiresAt, end <= now().seconds { session.asked = nil }
        var visit = Visit(
            pages: self, request: request, context: context, fields: fields, known: known, session: session,
            flash: flash, sentence: sentence)
        if !isForm, site == .account, let language = fields["lang"].flatMap(MailLanguage.init(text:)) {
            visit.session.language = language
            visit.session.flash = flash
            return try finish(Answer.redirect(to: visit.addressWithoutLanguage), visit)
        }
        if !isForm, known == nil, let page = pageAfterForeignLink(request) { return show(page, visit) }
        if isForm { return try await answerForm(page, &visit) }
        let outcome = try await outcome(of: page.handler, &visit)
        if case .go = outcome, visit.session.flash == nil { visit.session.flash = flash }
        return try response(outcome, &visit)
    }

    private func answerForm(_ page: PageRoute, _ visit: inout Visit) async throws -> Response {
        // Another site can send a form without the cookie; the response must not sign the user out.
        guard visit.known != nil, isOfOwnPage(visit.request) else { return show(visit.oldFormPage, visit) }
        let form = FormName(visit)
        guard FormToken.matches(visit.fields[FormToken.field], visit.session.formToken) else {
            // The same form created this session, as after a double click.
            guard let answer = await forms.answer(toOld: form, at: now()),
                answer.session.formToken == visit.session.formToken
            else { return show(visit.oldFormPage, visit) }
            return try response(answer.outcome, &visit)
        }
        let begun = visit
        let answer = try await forms.answer(to: form, at: now()) {
            var visit = begun
            let outcome = try await outcome(of: page.handler, &visit)
            return FormAnswer(outcome, from: begun, to: visit, isOnce: page.isOnce)
        }
        if !answer.isEarlier(than: visit.session, of: form) {
            (visit.session, visit.cookies) = (answer.session, answer.cookies)
        }
        return try response(answer.outcome, &visit)
    }

    private func outcome(of handler: Handler, _ visit: inout Visit) async throws -> Outcome {
        do {
            return try await handler(&visit)
        } catch let needed as SignInNeeded {
            visit.session.tokens = nil
            return visit.goToSignIn(needed.wasSignedIn ? .sessionOver : nil)
        } catch let refusal as CallRefusal where refusal.needsProof {
            return await visit.askForProof()
        } catch let refusal as CallRefusal {
            return .page(visit.problemPage(visit.message(for: refusal), status: .init(code: refusal.status)))
        } catch let refusal as AdminRefusal {
            return .page(visit.problemPage(refusal.sentence, status: .init(code: refusal.cause.status)))
        } catch let failed as CallFailed {
            if let cause = failed.cause { visit.context.note(.unavailable(cause)) }
            let text = visit.say("Service temporarily unavailable. Please try again later.")
            return .page(visit.problemPage(text, status: .serviceUnavailable))
        } catch let problem as WireProblem {
            throw Refusal.unforeseen(problem)
        }
    }

    /// Without Fetch Metadata or `Origin` (Fetch §3.2), the token decides.
    private func isOfOwnPage(_ request: Request) -> Bool {
        let site = request.headers[.fetchSite]
        if let site, site != "same-origin" { return false }
        let origin = request.headers[.origin]
        return origin == nil || origin == settings.origin || origin == "null" && site == "same-origin"
    }

    /// Sign-ins return to this name: browsers do not send cookies of `localhost` to `127.0.0.1`.
    private func otherName(_ request: Request) -> String? {
        guard request.method == .get, let own = URLParts(settings.origin), own.scheme == "http",
            URLParts.loopbackHosts.contains(own.host),
            let came = request.head.authority.flatMap({ URLParts("http://\($0)/") }),
            URLParts.loopbackHosts.contains(came.host), came.host != own.host, came.port == own.port
        else { return nil }
        return settings.origin + request.uri.string
    }
}

extension WebPages {
    private func response(_ outcome: Outcome, _ visit: inout Visit) throws -> Response {
        switch outcome {
        case .page(var page):
            if site == .console { page.offerOnly(visit.operatorRights) }
            if page.notice == nil { page.notice = visit.flash.map(visit.notice) ?? visit.sentence.map(Notice.done) }
            return try finish(show(page, visit), visit)
        case .go(let place): return try finish(Answer.redirect(to: place.path, status: .seeOther), visit)
        case .move(let path): return try finish(Answer.redirect(to: path, status: .seeOther), visit)
        case .leave(let address): return try finish(Answer.redirect(to: address, status: .seeOther), visit)
        case .onward(let address):
            var page = Page(visit.say("Continue"), [.buttons([Link(title: visit.say("Continue"), address: address)])])
            page.onward = address
            return try response(.page(page), &visit)
        case .file(let bytes, let name):
            var response = Answer.json(bytes)
            response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
            return try finish(response, visit)
        case .answer(let response): return try finish(response, visit)
        }
    }

    private func show(_ page: Page, _ visit: Visit) -> Response {
        let token = FormToken.text(visit.session.formToken, pad: randomBytes(16))
        var shown = page.shown(formToken: token)
        if site == .console { shown.merge(visit.consoleFrame(token)) { $1 } }
        if let captcha = page.captcha {
            shown["captchaScript"] = Markup(captcha.script(in: visit.language))
            shown["captchaNeedsScripts"] = Markup(
                visit.say("Please allow scripts for this page. It has to check that you're not a robot."))
        }
        let html = look.html(
            shown, languagesTitle: visit.say("Language"), address: visit.addressWithoutLanguage,
            language: visit.language,
            offersLanguages: !page.isShownOnce, needsScript: page.needsScript)
        var response = Answer.text(html, status: page.status, contentType: "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] = page.policy.text
        Self.protect(&response)
        return response
    }

    private func finish(_ response: Response, _ visit: Visit) throws -> Response {
        var response = response
        Self.protect(&response)
        // Only after a change: a slow tab must not overwrite a faster tab's newer tokens.
        if !visit.session.isSame(as: visit.known) { response.headers.append(try cookie.field(visit.session)) }
        for cookie in visit.cookies { response.headers.append(cookie) }
        return response
    }

    /// Outside of a handler, such as for an unknown path. Keeps the session.
    func refusalPage(_ refusal: Refusal, language: MailLanguage) -> Response {
        func say(_ text: StaticString) -> String { texts.text(text, [], in: language) }
        let home =
            site == .console
            ? Link(title: "Console", address: site.prefix) : Link(title: say("Account"), address: Place.home.path)
        let text =
            switch refusal.status {
            case .notFound: say("There's nothing here.")
            case .tooManyRequests: say("Too many attempts. Please wait a moment and try again.")
            default: say("Something went wrong. Please try again.")
            }
        var page = Page(text, [.links([home])])
        page.status = refusal.status
        let html = look.html(
            page.shown(formToken: ""), languagesTitle: say("Language"), address: Place.home.path, language: language)
        var response = Answer.text(html, status: refusal.status, contentType: "text/html; charset=utf-8")
        Self.protect(&response)
        return response
    }

    /// Keeps a page's policy.
    private static func protect(_ response: inout Response) {
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = ContentPolicy().text
        }
        response.headers[.frameOptions] = "DENY"
        // Not `no-referrer`, which makes a form's `Origin` `null`.
        response.headers[.referrerPolicy] = "same-origin"
        response.headers[.openerPolicy] = "same-origin"
    }
}

extension HTTPField.Name {
    static let frameOptions = Self("x-frame-options")!
    static let referrerPolicy = Self("referrer-policy")!
    static let openerPolicy = Self("cross-origin-opener-policy")!
}
