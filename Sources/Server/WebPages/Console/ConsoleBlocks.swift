import GatehouseWire

/// On a phone, each row is a card that repeats the column titles.
struct Table {
    enum Style: String { case plain, settings, audit, users }

    /// For screen readers, before the table.
    let caption: String
    let columns: [String]
    var rows: [[Cell]] = []
    /// Shown without rows.
    var empty = "Nothing here yet."
    /// The next page's URL.
    var next: String?
    var style = Style.plain
    var sort: Sort?

    /// A column that the list is sorted by, and the URL of the other order.
    struct Sort {
        let column: Int
        let isAscending: Bool
        let other: String
    }
}

struct Cell {
    var text = ""
    var address: String?
    /// A second line.
    var detail: String?
    var badges: [Badge] = []
    var isNumber = false
    var form: Form?

    init() {}

    init(_ text: String, address: String? = nil, detail: String? = nil, isNumber: Bool = false) {
        (self.text, self.address, self.detail, self.isNumber) = (text, address, detail, isNumber)
    }

    init(_ badges: [Badge]) { self.badges = badges }

    init(_ form: Form?) { self.form = form }
}

struct Badge {
    enum Tone: String { case good, bad, plain }

    let text: String
    var tone = Tone.plain
}

struct Fact {
    let name: String
    var value = ""
    var badges: [Badge] = []

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    init(_ name: String, _ badges: [Badge]) { (self.name, self.badges) = (name, badges) }
}

/// Filters a list by a query in the URL.
struct Filters {
    let action: String
    let search: Field
    var choices: [Field] = []
    var button = "Search"
    /// The unfiltered list, if filtered.
    var whole: String?
}

extension Block {
    func shownInConsole(_ token: String, number: Int) -> TemplateValues {
        switch self {
        case .table(let table): ["table": table.shown(token, prefix: "t\(number)")]
        case .facts(let facts): ["facts": ["entries": facts.map(\.shown)]]
        case .filters(let filters): ["filters": filters.shown(prefix: "q\(number)")]
        case .code(let text): ["code": Markup(text)]
        case .actions(let links): ["actions": ["entries": links.map(\.shown)]]
        case .drawing(let markup): ["drawing": markup]
        default: [:]
        }
    }
}

extension Page {
    /// Each heading begins a card.
    func cards(_ token: String) -> [TemplateValues] {
        var cards: [(title: String?, parts: [TemplateValues])] = []
        for (number, block) in blocks.enumerated() {
            if case .heading(let title) = block {
                cards.append((title, []))
            } else {
                if cards.isEmpty { cards.append((nil, [])) }
                cards[cards.count - 1].parts.append(block.shown(token, number: number))
            }
        }
        return cards.enumerated().map { number, card in
            var shown: TemplateValues = ["parts": card.parts]
            if let title = card.title { shown["heading"] = ["cardTitle": Markup(title), "cardID": "card-\(number)"] }
            return shown
        }
    }
}

extension Table {
    private var titles: [TemplateValues] {
        columns.enumerated().map { column, title in
            let isNumber = rows.first.map { $0.count > column && $0[column].isNumber } ?? false
            var shown: TemplateValues = ["columnTitle": Markup(title), "isNumber": isNumber]
            if let sort, sort.column == column {
                shown["sorted"] = ["sortAddress": Markup(sort.other), "isAscending": sort.isAscending]
            }
            return shown
        }
    }

    fileprivate func shown(_ token: String, prefix: String) -> TemplateValues {
        var shown: TemplateValues = [
            "tableCaption": Markup(caption), "tableStyle": style.rawValue, "columns": titles,
            "tableRows": rows.enumerated().map { row, cells in
                [
                    "cells": zip(columns, cells).enumerated().map { column, pair in
                        pair.1.shown(token, title: pair.0, prefix: "\(prefix)-\(row)-\(column)", isFirst: column == 0)
                    }
                ]
            },
        ]
        if rows.isEmpty { shown["emptyText"] = Markup(empty) }
        shown["nextAddress"] = next.map(Markup.init)
        return shown
    }
}

extension Cell {
    fileprivate func shown(_ token: String, title: String, prefix: String, isFirst: Bool) -> TemplateValues {
        var shown: TemplateValues = [
            "cellTitle": Markup(title), "cellText": Markup(text), "isNumber": isNumber, "isFirst": isFirst,
            "cellBadges": badges.map(\.shown),
        ]
        shown["cellAddress"] = address.map(Markup.init)
        shown["cellDetail"] = detail.map(Markup.init)
        shown["cellForm"] = form.map { ["form": $0.shown(token, prefix: prefix)] }
        return shown
    }
}

extension Badge {
    fileprivate var shown: TemplateValues { ["badgeText": Markup(text), "badgeTone": tone.rawValue] }
}

extension Fact {
    fileprivate var shown: TemplateValues {
        ["factName": Markup(name), "factValue": Markup(value), "factBadges": badges.map(\.shown)]
    }
}

extension Filters {
    fileprivate func shown(prefix: String) -> TemplateValues {
        var shown: TemplateValues = [
            "filterAction": Markup(action), "filterButton": Markup(button),
            "filterFields": ([search] + choices).map { $0.shown(id: "\(prefix)-\($0.name)") },
        ]
        shown["wholeAddress"] = whole.map(Markup.init)
        return shown
    }
}
