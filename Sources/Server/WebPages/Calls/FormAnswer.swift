import Crypto
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

struct FormAnswer: Sendable {
    /// The part kept for a later identical form.
    enum Lasting: Sendable {
        case nothing
        /// The next page, for a form that changed the browser's session. Browsers that already have that session
        /// continue there.
        case place
        /// All of it, also for a browser that the response did not reach.
        case whole
    }

    let outcome: Outcome
    var session: WebSession
    var cookies: [HTTPField] = []
    let lasting: Lasting
    /// ``FormName/alike``, once the answer is kept for others.
    var form: ExternalName?

    /// - Parameter isOnce: The form must not be processed twice.
    init(_ outcome: Outcome, from begun: Visit, to visit: Visit, isOnce: Bool) {
        let isRenewed = begun.session.formToken != visit.session.formToken
        (self.outcome, session, cookies) = (outcome, visit.session, visit.cookies)
        switch outcome {
        case .go, .move: lasting = isOnce ? .whole : isRenewed ? .place : .nothing
        default: lasting = .nothing
        }
    }

    init(_ outcome: Outcome, _ session: WebSession, lasting: Lasting) {
        (self.outcome, self.session, self.lasting) = (outcome, session, lasting)
    }

    /// The browser that sends the form again has a later session and cookies, as after another message.
    func isEarlier(than session: WebSession, of name: FormName) -> Bool {
        guard let form, form != name.alike, session.mail != nil || session.text != nil else { return false }
        return session.formToken.elementsEqual(self.session.formToken)
    }

    /// Without password, and without tokens unless whole.
    var kept: FormAnswer {
        guard lasting == .whole else {
            return FormAnswer(outcome, WebSession(formToken: session.formToken), lasting: lasting)
        }
        var kept = self
        kept.session.mail?.password = nil
        kept.session.text?.password = nil
        return kept
    }
}

/// Identifies forms by digest. Keeps nothing of a password.
struct FormName: Sendable {
    /// Equal for the same fields and cookie.
    let alike: ExternalName
    /// Equal for the same fields and form session, whatever became of the session.
    let repeated: ExternalName

    init(alike: ExternalName, repeated: ExternalName) { (self.alike, self.repeated) = (alike, repeated) }

    init(_ visit: Visit) {
        // Each page encodes the same token differently, and has another captcha.
        let own = [FormToken.field, visit.captcha?.field].compactMap(\.self)
        let fields = visit.fields.parameters.filter { field in !own.contains { $0 == field.name } }
            .flatMap { [$0.name, $0.value] }
        let token = FormToken.token(of: visit.fields[FormToken.field]) ?? []
        alike = Self.digest(["alike", visit.request.uri.path, visit.session.json.text] + fields)
        repeated = Self.digest(["repeated", visit.request.uri.path, Base64URL.text(token)] + fields)
    }

    private static func digest(_ parts: [String]) -> ExternalName {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array("\(part.utf8.count) ".utf8))
            hash.update(data: Array(part.utf8))
        }
        return ExternalName(trusted: Base64URL.text(Array(hash.finalize())))
    }
}

/// Answers to forms that may come again.
struct KeptAnswers {
    static let lifetime = Duration.seconds(600)
    /// At capacity, drops the oldest.
    static let most = 1_024

    private var answers: [ExternalName: (answer: FormAnswer, end: Instant)] = [:]
    /// Oldest first.
    private var names: [ExternalName] = []

    mutating func keep(_ answer: FormAnswer, of form: FormName, at now: Instant) {
        guard answer.lasting != .nothing else { return }
        if answers[form.repeated] != nil { names.removeAll { $0 == form.repeated } }
        while let oldest = names.first, names.count >= Self.most || isOver(oldest, at: now) {
            answers[oldest] = nil
            names.removeFirst()
        }
        names.append(form.repeated)
        var kept = answer.kept
        kept.form = form.alike
        answers[form.repeated] = (kept, now + Self.lifetime)
    }

    func answer(to form: FormName, at now: Instant) -> FormAnswer? {
        answers[form.repeated].flatMap { $0.end > now ? $0.answer : nil }
    }

    private func isOver(_ name: ExternalName, at now: Instant) -> Bool { answers[name].map { $0.end <= now } ?? true }
}
