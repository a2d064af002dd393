import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

/// Numbers as second factors.
struct PhoneFactorsPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/text-messages") { try await $0.show() },
        takes("/text-messages") { try await $0.change() },
    ]

    mutating func show() async throws -> Outcome { .page(page(try await visit.user())) }

    /// The field `act` decides.
    mutating func change() async throws -> Outcome {
        switch visit.fields["act"] {
        case "add": return try await add()
        case "again": return try await textAgain()
        case "confirm": return try await confirm()
        case "remove" where visit.fields["sure"] == nil: return .page(removalPage())
        case "remove":
            do {
                try await visit.callAsUser(.delete, "/factors/\(visit.factorOfForm)")
                visit.session.flash = .phoneRemoved
            } catch let refusal as CallRefusal where !refusal.needsProof {
                return .page(page(try await visit.user(), refusal))
            }
        default: break
        }
        return .go(.phoneFactors)
    }
}

extension PhoneFactorsPage {
    /// The server replaces an unverified factor of this number.
    private mutating func add() async throws -> Outcome {
        let user = try await visit.user()
        guard let number = visit.typedNumber else { return .page(page(user, problem: visit.invalidNumber)) }
        do {
            let factor = try await visit.enroll(
                ["factor_type": .string(AuthFactorType.phone.rawValue), "phone": .string(number)], user)
            let challenge = try await visit[SecondStepPage.self].challenge(factor.id.uuidString.lowercased())
            return .page(codePage(TextedCode(factor.id.uuidString.lowercased(), challenge, number)))
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(page(user, refusal))
        }
    }

    private mutating func textAgain() async throws -> Outcome {
        var code = TextedCode(visit)
        do {
            code.challenge = try await visit[SecondStepPage.self].challenge(visit.factorOfForm)
            var page = codePage(code)
            page.notice = visit.notice(.textSent)
            return .page(page)
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(codePage(code, refusal))
        }
    }

    private mutating func confirm() async throws -> Outcome {
        do {
            let answer = try await visit[SecondStepPage.self].verifyText(at: "/factors/\(visit.factorOfForm)")
            return try await visit.added(.phoneAdded, answer, .phoneFactors)
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(codePage(TextedCode(visit), refusal))
        }
    }

    private func page(_ user: AuthUser, _ refusal: CallRefusal? = nil, problem: String? = nil) -> Page {
        var page = visit.accountPage(say("Phone Number"))
        page.back = (say("Security"), Place.security.path)
        let problem = problem ?? refusal.flatMap(visit.numberProblem)
        if let refusal, problem == nil { page.notice = .problem(visit.message(for: refusal)) }
        let phones = SecondSteps(user).phones
        page.blocks = [.text(say("We'll text a code to this number when you sign in."))]
        if !phones.isEmpty { page.blocks.append(.rows(phones.map(row))) }
        page.blocks += [
            .heading(say("Add a Phone Number")),
            .form(
                Form(
                    action: Place.phoneFactors.path, fields: visit.phoneFields(problem), hidden: [("act", "add")],
                    button: say("Text Me a Code"), style: phones.isEmpty ? .main : .plain)),
        ]
        return page
    }

    private func row(_ factor: AuthFactor) -> Row {
        let number = visit.shownNumber(factor.phone ?? "")
        var row = Row(title: number, details: [say("Added on %@.", visit.language.day(factor.createdAt))])
        row.form = Form(
            action: Place.phoneFactors.path,
            hidden: [
                ("act", "remove"), ("factor", factor.id.uuidString.lowercased()), ("number", factor.phone ?? ""),
            ], button: say("Remove"), label: say("Remove %@", number), style: .plain)
        return row
    }

    private func codePage(_ code: TextedCode, _ refusal: CallRefusal? = nil) -> Page {
        var page = Page(say("Check your messages"))
        page.back = (say("Phone Number"), Place.phoneFactors.path)
        page.blocks = [.text(say("We've sent a code to %@.", CallingCode.formatted(code.number)))]
        // Each form has its own act.
        page.blocks += visit.textedCodeForms(
            at: Place.phoneFactors.path, again: Place.phoneFactors.path, refusal, hidden: code.fields
        ).enumerated().map { $1.acting($0 == 0 ? "confirm" : "again") }
        page.blocks.append(.soft(say("Your other devices will be signed out when the phone number is added.")))
        page.show(visit.textedCodeNotice(refusal))
        return page
    }

    private func removalPage() -> Page {
        let number = (visit.fields["number"] ?? "").cut(to: 32)
        var page = Page(say("Remove %@", CallingCode.formatted(number)))
        page.back = (say("Phone Number"), Place.phoneFactors.path)
        page.blocks = [
            .text(say("After that, you'll sign in without it.")),
            .form(
                Form(
                    action: Place.phoneFactors.path,
                    hidden: [
                        ("act", "remove"), ("sure", "yes"), ("factor", (visit.fields["factor"] ?? "").cut(to: 64)),
                    ], button: say("Remove"), style: .danger)),
        ]
        return page
    }
}

/// A challenge whose code was texted; kept in the page's forms.
private struct TextedCode {
    let factor: String
    var challenge: String
    let number: String

    init(_ factor: String, _ challenge: String, _ number: String) {
        (self.factor, self.challenge, self.number) = (factor, challenge, number)
    }

    init(_ visit: Visit) {
        self.init(
            (visit.fields["factor"] ?? "").cut(to: 64), visit.challengeOfForm,
            (visit.fields["number"] ?? "").cut(to: 32))
    }

    var fields: [(name: String, value: String)] {
        [("factor", factor), ("challenge", challenge), ("number", number)]
    }
}

extension Block {
    fileprivate func acting(_ act: String) -> Block {
        guard case .form(var form) = self else { return self }
        form.hidden.append(("act", act))
        return .form(form)
    }
}
