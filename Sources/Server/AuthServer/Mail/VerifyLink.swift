import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

// Mail scanners open links and press buttons. So opening changes nothing, and pressing gives a session only to the
// client that asked for the mail: by its PKCE verifier, or the same browser. Everyone else needs the code.
extension MailHandlers {
    /// With ``MailRules/opensLinksAtOnce`` opening spends the link and redirects, as in Supabase Auth, unless that
    /// takes something from the account: then a PKCE link stays unspent until its client redeems the code, and any
    /// other shows the page.
    @Sendable func openLink(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard let mail = settings.mail else { throw Refusal.codeUnknown }
        let link = try FollowedLink(Query(request), target: mailAdmission.redirectTarget(request))
        guard let slots = Self.slots(link.type) else {
            return link.redirect.linkFailure(.invalidType, hasProofKey: link.hasPrefix)
        }
        // These pages ask for the code themselves, and read no fragment.
        let asksForCode = [settings.recoveryPage, settings.invitationPage].contains(link.redirect.target)
        guard let pending = try await accounts.codes.pendingLink(link.token, for: slots, at: runtime.now()) else {
            return link.redirect.linkFailure(
                CallbackProblem(.linkUnknown), hasProofKey: link.hasPrefix || asksForCode)
        }
        if asksForCode, pending.isByAdmin { return Answer.redirect(to: pageForCode(link), status: .seeOther) }
        // Only the verifier's client, or the page, may take something from the account. Without a verifier the session
        // would be in the URL.
        if mail.opensLinksAtOnce, pending.hasProofKey || (settings.allowsImplicitFlow && !pending.isFirstProof) {
            return try await follow(link, slots, defers: pending.isFirstProof, request, context)
        }
        return try await page(link, mode(of: pending, request), of: pending, request)
    }

    /// `POST /verify/page`.
    @Sendable func pressLinkButton(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard settings.mail != nil else { throw Refusal.codeUnknown }
        let form = Query(form: String(decoding: try await request.bytes(context), as: UTF8.self))
        let link = try FollowedLink(
            form, target: settings.redirects.target(form["redirect_to"]))
        guard let slots = Self.slots(link.type) else { throw Refusal.invalid("Invalid email verification type") }
        guard let pending = try await accounts.codes.pendingLink(link.token, for: slots, at: runtime.now()) else {
            return link.redirect.linkFailure(CallbackProblem(.linkUnknown), hasProofKey: link.hasPrefix)
        }
        switch mode(of: pending, request) {
        case .button: return try await follow(link, slots, defers: true, request, context)
        case .codeHere:
            let typed = MailedProof.page(link: link.token, code: Secret(typed: form["code"] ?? ""))
            let outcome = try await code(
                typed, for: slots,
                opensSession: settings.allowsImplicitFlow && !pending.hasProofKey, request, context)
            if case .unknown = outcome {
                return try await page(link, .codeHere, of: pending, request, isRefused: true)
            }
            return try redirect(outcome, link)
        case .codeElsewhere: return try await page(link, .codeElsewhere, of: pending, request)
        }
    }

    /// An invitation's page knows the address by the link, a recovery's page asks for it.
    private func pageForCode(_ link: FollowedLink) -> String {
        let target = link.redirect.target
        return target == settings.invitationPage ? "\(target)?token=\(FormText.escape(link.token.reveal()))" : target
    }

    private func mode(of pending: PendingLink, _ request: Request) -> LinkPage.Mode {
        // The verifier must last until the second link: clients forget it after one exchange.
        if pending.isFirstOfTwo { return .codeHere }
        if pending.hasProofKey { return .button }
        // No client asked for an administrator's mail, so its code belongs here. Without the implicit flow the page
        // only confirms the address; a session would be in the URL.
        if pending.isByAdmin, settings.allowsImplicitFlow || pending.confirms { return .codeHere }
        guard settings.allowsImplicitFlow else { return .codeElsewhere }
        return pending.isOf(browser(request)) ? .button : .codeElsewhere
    }

    /// In the user's language, like the mail, else the browser's.
    private func page(
        _ link: FollowedLink, _ mode: LinkPage.Mode, of pending: PendingLink, _ request: Request,
        isRefused: Bool = false
    ) async throws -> Response {
        let chosen = MailLanguage.matching(try await accounts.mails.locale(of: pending))
        return LinkPage(
            mode: mode, action: settings.externalURL + "/verify/page", token: link.token, type: link.type,
            target: link.redirect.target, language: chosen ?? .preferred(request.headers[.acceptLanguage]),
            isRefused: isRefused, brand: settings.linkPageBrand
        ).response
    }

    private func follow(
        _ link: FollowedLink, _ slots: [TokenSlot], defers: Bool, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let device = try callers.device(request, context)
        let outcome = try await server.tokens.issuing(to: device) {
            try await $0.codes.follow(
                link.token, for: slots, defers: defers, in: browser(request), from: device, at: $1)
        }
        return try redirect(outcome, link)
    }

    private func redirect(_ outcome: VerificationOutcome, _ link: FollowedLink) throws -> Response {
        switch outcome {
        case .signedIn(let issued, let slot):
            counts.signIns.increment("otp", slot == .confirmation ? "confirmed" : "signed_in")
            let type = link.type == "email" ? (slot == .confirmation ? "signup" : "magiclink") : link.type
            return link.redirect.linkTokens(issued, try server.tokens.accessToken(issued), type: type)
        case .code(let code): return link.redirect.linkCode(code)
        case .confirmed(let slot):
            counts.signIns.increment("otp", slot == .confirmation ? "confirmed" : "signed_in")
            return link.redirect.linkMessage("The address is confirmed. Sign in to continue.", hasProofKey: false)
        case .halfway(let hasProofKey): return link.redirect.linkMessage(Self.halfwayMessage, hasProofKey: hasProofKey)
        case .banned:
            return link.redirect.linkFailure(
                CallbackProblem(Refusal(.forbidden, .userBanned, "User is banned")), hasProofKey: link.hasPrefix)
        case .unknown:
            counts.signIns.increment("otp", "wrong_code")
            return link.redirect.linkFailure(CallbackProblem(.linkUnknown), hasProofKey: link.hasPrefix)
        }
    }
}

private struct FollowedLink {
    let token: Secret
    let type: String
    let redirect: CallbackRedirect

    /// - Throws: ``Refusal`` `validation_failed` if a part is missing.
    init(_ fields: Query, target: String) throws {
        guard let type = fields["type"] else { throw Refusal.invalid("Verify requires a verification type") }
        guard let token = fields["token"] else { throw Refusal.invalid("Verify requires a token or a token hash") }
        (self.token, self.type, redirect) = (Secret(token), type, CallbackRedirect(target: target))
    }

    var hasPrefix: Bool { token.reveal().utf8.starts(with: MintedToken.pkcePrefix.utf8) }
}

extension CallbackProblem {
    fileprivate static let invalidType = CallbackProblem(Refusal.invalid("Invalid email verification type"))
}

extension Secret {
    /// Digits of every script, as Arabic keyboards have their own, without other characters. Reads at most 64
    /// characters.
    fileprivate init(typed text: String) {
        let digits = text.unicodeScalars.prefix(64).compactMap { scalar in
            scalar.properties.numericType == .decimal ? scalar.properties.numericValue : nil
        }
        self.init(digits.map { String(Int($0)) }.joined())
    }
}
