import GatehouseWire
import HTTPServing
import Hummingbird

/// The way back to the app with an answer.
struct Callback {
    enum Mode: String, CaseIterable {
        case query
        case fragment
        case formPost = "form_post"
    }

    /// Registered: the only addresses that people are sent to.
    let url: String
    let mode: Mode
    /// Repeated as it came; nil when none came.
    let state: String?

    func response(_ company: Company, _ fields: [(name: String, value: String)]) -> Response {
        var all = fields
        if let state { all.append(("state", state)) }
        switch mode {
        case .query: return redirect((url.contains(ascii: "?") ? "&" : "?") + FormFields(all).encoded)
        case .fragment: return redirect("#" + FormFields(all).encoded)
        case .formPost: return FormPostPage.response(company, to: url, all)
        }
    }

    private func redirect(_ addition: String) -> Response {
        // 303: what was a form for us is none for the app.
        Answer.redirect(to: url + addition, status: .seeOther)
    }
}
