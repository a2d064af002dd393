import GatehouseWire
import HTTPServing
import Hummingbird

struct Callback {
    enum Mode: String, CaseIterable {
        case query
        case fragment
        case formPost = "form_post"
    }

    /// Registered; redirects never go elsewhere.
    let url: String
    let mode: Mode
    /// Repeated unchanged.
    let state: String?

    func response(_ provider: SimulatedProvider, _ fields: [(name: String, value: String)]) -> Response {
        var all = fields
        if let state { all.append(("state", state)) }
        switch mode {
        case .query: return redirect((url.contains(ascii: "?") ? "&" : "?") + FormFields(all).encoded)
        case .fragment: return redirect("#" + FormFields(all).encoded)
        case .formPost: return FormPostPage.response(provider, to: url, all)
        }
    }

    private func redirect(_ addition: String) -> Response {
        // 303, so that a form POST to us becomes a GET to the app.
        Answer.redirect(to: url + addition, status: .seeOther)
    }
}
