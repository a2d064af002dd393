import Crypto
import GatehouseWire
import HTTPServing
import HTTPTypes

/// Returns to the app that sent its user here.
struct HandoverPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/continue") { try await $0.show() },
        takes("/continue") { try await $0.handOver() },
    ]

    /// Continues immediately after a sign-in for this app. Otherwise asks: any website can send a browser here.
    mutating func show() async throws -> Outcome {
        guard let handover = visit.session.handover else { return .go(.home) }
        guard visit.isSignedIn else { return .go(.signIn) }
        guard !handover.isConfirmed else { return try await handOver(handover) }
        let user = try await visit.user()
        return .page(
            Page(
                say("Continue"),
                [
                    .text(say("Continue as %@?", user.email ?? "–"))
                ] + visit.handoverSentence + [
                    .form(
                        Form(action: Place.goOn.path, hidden: visit.handoverFields, button: say("Continue"))),
                    .links([
                        Link(title: say("Use Another Account"), address: Place.signIn.path + "?again=yes")
                    ]),
                ]))
    }

    mutating func handOver() async throws -> Outcome {
        guard let handover = visit.session.handover else { return .go(.home) }
        // Another request may have come since the page asked.
        guard visit.handoverOfForm == handover.id else { return .go(.goOn) }
        return try await handOver(handover)
    }
}

extension HandoverPage {
    /// The code goes to a URL that the Auth API allows, or to its site.
    private mutating func handOver(_ handover: WebSession.Handover) async throws -> Outcome {
        // May refresh the tokens.
        _ = try await visit.user()
        guard let refresh = visit.session.tokens?.refresh else { throw SignInNeeded(wasSignedIn: true) }
        do {
            let json = try await visit.callAsUser(
                .post, "/authorize",
                [
                    "refresh_token": .string(refresh.reveal()), "code_challenge": .string(handover.challenge),
                    "code_challenge_method": .string(handover.method), "redirect_to": .string(handover.target),
                ])
            visit.session.handover = nil
            guard let url = json["url"]?.stringValue, let parts = URLParts(url) else { throw CallFailed(cause: nil) }
            return parts.app == handover.app ? .onward(url) : .page(otherAppPage(parts, url))
        } catch let refusal as CallRefusal where !refusal.needsProof {
            visit.session.handover = nil
            return .page(visit.problemPage(visit.message(for: refusal), status: .badRequest))
        }
    }

    /// The Auth API rejects the app's URL and uses its site, which the user has not seen yet.
    private func otherAppPage(_ parts: URLParts, _ url: String) -> Page {
        Page(
            say("Continue"),
            [
                .text(say("You'll continue to %@.", parts.app)),
                .buttons([Link(title: say("Continue"), address: url)]),
            ])
    }
}

extension WebSession.Handover {
    /// Leaves room for the tokens in the cookie.
    static let longestTarget = 1_024

    /// - Parameter fields: `code_challenge`, `code_challenge_method` and `redirect_to` of `authorize`.
    /// - Returns: nil if malformed (RFC 7636 §4.2), or too long for the cookie.
    init?(_ fields: Query, at now: Instant) {
        let method = (fields["code_challenge_method"] ?? "s256").lowercased()
        guard let challenge = fields["code_challenge"], (43...128).contains(challenge.utf8.count),
            challenge.utf8.allSatisfy(\.isUnreserved),
            method == "s256" || method == "plain", let target = fields["redirect_to"],
            target.utf8.count <= Self.longestTarget, URLParts(target) != nil
        else { return nil }
        self.init(challenge: challenge, method: method, target: target, expiresAt: now.seconds + 600)
    }

    /// 12 characters that identify this request.
    var id: String {
        Base64URL.text(Array(SHA256.hash(data: Array("\(challenge) \(method) \(target)".utf8)).prefix(9)))
    }

    var app: String { URLParts(target)?.app ?? "" }
}

extension URLParts {
    /// The host and port, or another scheme with a colon.
    var app: String { isWeb ? host + (port.map { ":\($0)" } ?? "") : scheme + ":" }
}
