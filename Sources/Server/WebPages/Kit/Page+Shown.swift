import Foundation
import GatehouseWire

// Inner names hide outer ones but missing ones do not, so no name occurs on two levels.
extension Page {
    func shown(formToken: String) -> TemplateValues {
        var shown: TemplateValues = [
            "title": Markup(title), "blocks": blocks.enumerated().map { $1.shown(formToken, number: $0) },
            "cards": cards(formToken),
        ]
        if let notice {
            shown[notice.isProblem ? "problem" : "done"] = Markup(notice.text)
        }
        if let back { shown["back"] = ["backTitle": Markup(back.title), "backAddress": Markup(back.address)] }
        if let live {
            shown["live"] = [
                "liveAddress": Markup(live.address), "liveNext": "\(live.next)", "liveMost": "\(live.most)",
            ]
        }
        if let onward { shown["onward"] = Markup(onward) }
        return shown
    }
}

extension Block {
    func shown(_ token: String, number: Int) -> TemplateValues {
        switch self {
        case .text(let text): ["text": Markup(text)]
        case .soft(let text): ["soft": Markup(text)]
        case .heading(let text): ["heading": Markup(text)]
        case .divider(let text): ["divider": Markup(text)]
        case .form(let form): ["form": form.shown(token, prefix: "f\(number)")]
        case .buttons(let links): ["buttons": links.map(\.shown)]
        case .links(let links): ["links": links.map(\.shown)]
        case .menu(let links): ["menu": ["entries": links.map(\.shown)]]
        case .picture(let picture):
            [
                "picture": [
                    "pictureAddress": "data:image/svg+xml;base64,\(Data(picture.svg.utf8).base64EncodedString())",
                    "pictureLabel": Markup(picture.label),
                ]
            ]
        case .key(let text): ["key": Markup(text)]
        case .codes(let codes): ["codes": ["codeEntries": codes.map { ["codeText": Markup($0)] }]]
        case .printButton(let title): ["printButton": Markup(title)]
        case .unscripted(let text): ["unscripted": Markup(text)]
        case .points(let points): ["points": ["pointTexts": points.map { ["pointText": Markup($0)] }]]
        case .rows(let rows):
            ["list": ["rows": rows.enumerated().map { $1.shown(token, prefix: "f\(number)-\($0)") }]]
        case .table, .facts, .filters, .code, .actions, .drawing: shownInConsole(token, number: number)
        }
    }
}

extension Link {
    var shown: TemplateValues {
        var shown: TemplateValues = ["linkTitle": Markup(title), "linkAddress": Markup(address)]
        shown["linkDetail"] = detail.map(Markup.init)
        shown["symbol"] = symbol.map(Markup.init)
        return shown
    }
}

extension Row {
    fileprivate func shown(_ token: String, prefix: String) -> TemplateValues {
        var shown: TemplateValues = [
            "rowTitle": Markup(title), "rowDetails": details.map { ["rowDetail": Markup($0)] },
        ]
        shown["badge"] = badge.map(Markup.init)
        shown["isWarning"] = warns
        if let form { shown["form"] = form.shown(token, prefix: prefix) }
        if let link {
            shown["rowLink"] = ["rowLinkTitle": Markup(link.title), "rowLinkAddress": Markup(link.address)]
            shown["rowLinkLabel"] = linkLabel.map(Markup.init)
        }
        return shown
    }
}

extension Form {
    func shown(_ token: String, prefix: String) -> TemplateValues {
        let filled = ceremony == nil ? [] : [(Ceremony.credential, ""), (Ceremony.failure, "")]
        let all = [(name: FormToken.field, value: token)] + hidden + filled
        var shown: TemplateValues = [
            "action": Markup(action), "button": Markup(button), "style": style.rawValue,
            "hidden": all.map { ["hiddenName": Markup($0.name), "hiddenValue": Markup($0.value)] },
            "fields": fields.map { $0.shown(id: "\(prefix)-\($0.name)") },
        ]
        shown["buttonLabel"] = label.map(Markup.init)
        shown["buttonSymbol"] = symbol.map(Markup.init)
        if let ceremony {
            shown["ceremony"] = [
                "ceremonyKind": ceremony.kind.rawValue, "ceremonyOptions": Markup(ceremony.options.text),
                "ceremonyStart": ceremony.start.rawValue,
            ]
        }
        if let captcha {
            shown["captcha"] = [
                "captchaClass": captcha.className, "captchaKey": Markup(captcha.siteKey), "captchaSize": captcha.size,
            ]
        }
        return shown
    }
}

extension Field {
    func shown(id: String) -> TemplateValues {
        var shown: TemplateValues = [
            "id": Markup(id), "name": Markup(name), "label": Markup(label), "value": Markup(value),
            "autocomplete": Markup(autocomplete), "isRequired": isRequired, "isBox": kind == .checkbox,
            "isFocused": isFocused, "isCode": kind == .code, "isNumber": kind == .tel,
            "isLatin": kind != .text || isLatin,
            "type": kind == .code ? "text" : kind.rawValue,
            "capitals": ["given-name", "name"].contains(autocomplete) ? "words" : "none",
        ]
        shown["hint"] = hint.map(Markup.init)
        shown["fieldProblem"] = problem.map(Markup.init)
        let described = [hint.map { _ in "\(id)-hint" }, problem.map { _ in "\(id)-problem" }].compactMap(\.self)
        if !described.isEmpty { shown["describedBy"] = Markup(described.joined(separator: " ")) }
        if kind == .choice {
            shown["choice"] = ["options": options.map { $0.shown(isChosen: $0.value == value) }]
        }
        shown["minimumLength"] = minimumLength.map { "\($0)" }
        shown["maximumLength"] = maximumLength.map { "\($0)" }
        return shown
    }
}

extension Field.Option {
    func shown(isChosen: Bool) -> TemplateValues {
        ["optionValue": Markup(value), "optionTitle": Markup(title), "isChosen": isChosen]
    }
}
