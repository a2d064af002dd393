import GatehouseWire
import HTTPTypes
import Hummingbird

/// Selects the test account. Works without scripts.
struct PersonPage {
    let provider: SimulatedProvider
    let client: String
    let wishes: [String]
    let returnsTo: String
    /// The form is sent to the same URL, which validates it again.
    let query: String
    var hint: String?
    var refused: (typed: String, problem: Visitor.AddressProblem)?

    var response: Response {
        let (fine, failing) = (people { $0 == .signsIn }, people { $0 != .signsIn })
        return Page.response(
            provider, title: "Choose who signs in", status: refused == nil ? .ok : .badRequest,
            """
            <h1>Choose who signs in</h1>
            <p class="quiet">This is not \(provider.name)’s page. It takes its place so that signing in can be tried \
            without an account there. Nobody below exists.</p>
            <dl>
            <dt>App</dt><dd><code>\(client)</code></dd>
            <dt>Asks for</dt><dd>\(wishes.isEmpty ? "who it is, and nothing more" : wishes.joined(separator: ", "))</dd>
            <dt>Returns to</dt><dd><code>\(returnsTo)</code></dd>
            \(hint.map { "<dt>Suggests</dt><dd><code>\($0)</code></dd>" as HTML } ?? "")
            </dl>
            <form id="people" method="post" action="?\(query)"></form>
            <h2 id="fine">Signs in</h2>
            <ul role="list" aria-labelledby="fine">
            \(fine.map(row))
            </ul>
            <h2 id="failing">Something goes wrong</h2>
            <ul role="list" aria-labelledby="failing">
            \(failing.map(row))
            </ul>
            """)
    }

    private func people(_ belongs: (Person.Conduct) -> Bool) -> [Person] {
        Person.cast(of: provider).filter { belongs($0.conduct) }
    }

    private func row(_ person: Person) -> HTML {
        person.address == .typed ? "<li>\(typing(person))</li>\n" : "<li>\(button(person))</li>\n"
    }

    private func button(_ person: Person) -> HTML {
        """
        <button form="people" name="person" value="\(person.id)"><strong>\(person.title)</strong>\
        <span class="quiet">\(person.explanation)</span>\
        \(person.shownAddress.map { "<code>\($0)</code>" as HTML } ?? "")</button>
        """
    }

    /// The error is between label and field, to be visible on narrow screens.
    private func typing(_ person: Person) -> HTML {
        let invalid: HTML = refused == nil ? "" : #" aria-invalid="true" autofocus"#
        return """
            <form class="card" method="post" action="?\(query)" aria-labelledby="typed">
            <strong id="typed">\(person.title)</strong>
            <span class="quiet" id="about">\(person.explanation)</span>
            <label for="email">Email address</label>
            \(refused.map { #"<p class="problem" id="problem" role="alert">\#($0.problem.sentence)</p>\#n"# as HTML } ?? "")\
            <span class="row">
            <input id="email" name="email" type="email" required autocomplete="email" autocapitalize="none" \
            spellcheck="false" value="\(refused?.typed ?? hint ?? "")"\(invalid) \
            aria-describedby="\(refused == nil ? "about" : "problem about")">
            <button name="person" value="\(person.id)">Continue</button>
            </span>
            </form>
            """
    }
}
