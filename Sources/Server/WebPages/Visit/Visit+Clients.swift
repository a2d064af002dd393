import GatehouseWire
import HTTPServing
import HTTPTypes

extension Visit {
    /// This page, for after a sign-in or a proof. A client's request replaces an app that waits: the last one counts.
    mutating func returnHere() {
        guard let asked = askedOfRequest else {
            session.next = placeOfRequest
            return
        }
        (session.asked, session.handover, session.next) = (asked, nil, nil)
    }

    /// The client's request that this page is about.
    var askedOfRequest: WebSession.Asked? {
        guard let place = placeOfRequest, let name = place.subjectName else { return nil }
        // A device's code is `code` in the form.
        let subject = fields[name] ?? fields["code"] ?? ""
        return WebSession.Asked(
            place: place, subject: subject.cut(to: 64), hint: fields["login_hint"].flatMap(LoginHint.init),
            expiresAt: pages.now().seconds + 600)
    }

    /// For the sign-in forms, which reveal nothing about it.
    var loginHint: LoginHint? { session.asked?.hint }

    /// After a sign-in, which leads to the page alone.
    mutating func askedPage(_ place: Place) -> Outcome? {
        guard let asked = session.asked, asked.place == place else { return nil }
        session.asked = nil
        return asked.subject.isEmpty ? nil : .move(asked.path)
    }
}

extension WebSession.Asked {
    var path: String { place.path(about: subject) }
}

extension Place {
    /// The query's parameter that names a client's request; nil for other pages.
    fileprivate var subjectName: String? {
        switch self {
        case .consent: "authorization_id"
        case .device: "user_code"
        default: nil
        }
    }

    func path(about subject: String) -> String {
        subjectName.map { "\(path)?\($0)=\(FormText.escape(subject))" } ?? path
    }
}
