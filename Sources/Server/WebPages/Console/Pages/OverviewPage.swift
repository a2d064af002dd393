import GatehouseWire
import HTTPServing
import HTTPTypes

struct OverviewPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("") { try await $0.show() }
    ]

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let range = OverviewRange(text: visit.fields["range"] ?? "") ?? .day
        var page = Page("Overview")
        page.blocks = [.actions(OverviewRange.allCases.map { $0.link(isShown: $0 == range) })]
        let (from, until) = (FormText.escape("\(pages.now() - range.duration)"), FormText.escape("\(pages.now())"))
        page.blocks += try await part("Users") { console in
            let json = try await console.callAsAdmin(.get, "/admin/overview?from=\(from)&until=\(until)")
            return console.peopleBlocks(json["people"] ?? .null) + [.heading("Sign-ins")]
                + (try console.activityBlocks(json["activity"] ?? .null)) + (try console.queueBlocks(json))
                + (try console.latencyBlocks(json["latency"] ?? .null))
        }
        return .page(page)
    }

    private func peopleBlocks(_ json: AuthJSON) -> [Block] {
        func number(_ json: AuthJSON?) -> Int { Int(json?.intValue ?? 0) }
        func figure(_ name: String) -> String {
            let number = number(json[name])
            return number >= 10_000 ? "10,000 or more" : Figures.count(number)
        }
        let total =
            (json["total"]?["precision"]?.stringValue == "about" ? "about " : "")
            + Figures.count(number(json["total"]?["count"]))
        var blocks: [Block] = [
            .facts([
                Fact("All", total), Fact("New", figure("new")), Fact("New in the period before", figure("new_before")),
            ]),
            .links([Link(title: "All Users", address: ConsolePlace.users.path)]),
        ]
        let ends = json["ends"]?.arrayValue ?? []
        guard !ends.isEmpty else { return blocks }
        var table = Table(caption: "Ended sessions", columns: ["Sessions ended", "Count"])
        table.rows = ends.prefix(8).map { end in
            let words = (end["reason"]?.stringValue ?? "–").utf8.split(separator: UInt8(ascii: "_"))
                .map { String(decoding: $0, as: UTF8.self) }
            return [
                Cell(words.joined(separator: " ").shown), Cell(Figures.count(number(end["count"])), isNumber: true),
            ]
        }
        blocks.append(.table(table))
        return blocks
    }

    private func activityBlocks(_ json: AuthJSON) throws -> [Block] {
        let activity = try Activity(json: json)
        let methods = BarChart("methods", "By method", activity, of: "sign_ins") { $0.first.map(MethodNames.shown) }
        let ends = BarChart("outcomes", "By outcome", activity, of: "sign_ins") { labels in
            labels.count > 1 ? SignInEnd(outcome: labels[1]).rawValue : nil
        }.inOrder(SignInEnd.allCases.map { ($0.rawValue, $0.tone) })
        let verdicts = BarChart("refreshes", "By verdict", activity, of: "refreshes") {
            $0.first.map(VerdictNames.shown)
        }
        return methods.block("No sign-ins in this period.") + (ends.total > 0 ? ends.block("") : [])
            + [.heading("Refreshes")] + verdicts.block("No refreshes in this period.")
            + [.heading("The app's funnel")] + activity.funnelBlocks
    }

    private func latencyBlocks(_ json: AuthJSON) throws -> [Block] {
        var table = Table(
            caption: "Latency", columns: ["Route", "Requests", "Median", "99%"], empty: "No requests yet.")
        table.rows = try RouteLatency.list(json: json).prefix(20).map { route in
            [
                Cell(route.shownName),
                Cell(Figures.count(route.count), isNumber: true),
                Cell(Figures.milliseconds(route.p50), isNumber: true),
                Cell(Figures.milliseconds(route.p99), isNumber: true),
            ]
        }
        return [.heading("Latency of this process"), .table(table)]
    }

    private func queueBlocks(_ json: AuthJSON) throws -> [Block] {
        let (mails, webhooks) = (try Queue(json: json["mails"] ?? .null), try Queue(json: json["webhooks"] ?? .null))
        let age = mails.oldest.map { ", the oldest for \(Figures.age(since: $0, now: pages.now()))" } ?? ""
        let texts = try json["texts"].map(SentTexts.init).map(textBlocks) ?? []
        return [
            .heading("Emails"),
            .text(mails.waiting == 0 ? "No emails are queued." : "Queued: \(Figures.count(mails.waiting))\(age)."),
            .links([Link(title: "Emails", address: ConsolePlace.mails.path)]),
        ] + texts + [
            .heading("Webhooks"),
            .text(
                "Queued deliveries: \(Figures.count(webhooks.waiting)). Failed among the last 50: "
                    + "\(Figures.count(webhooks.failed))."),
            .links([Link(title: "Webhooks", address: ConsolePlace.webhooks.path)]),
        ]
    }
}

extension OverviewPage {
    /// With the next step, if messages fail or their codes are not used.
    private func textBlocks(_ texts: SentTexts) -> [Block] {
        var blocks: [Block] = [.heading("Text messages")]
        let warnings = [
            texts.failed > 0 ? Badge(text: "failures", tone: .bad) : nil,
            texts.areUnused ? Badge(text: "few codes used", tone: .bad) : nil,
        ].compactMap(\.self)
        if !warnings.isEmpty { blocks.append(.facts([Fact("State", warnings)])) }
        let (sent, failed, used) = (Figures.count(texts.sent), Figures.count(texts.failed), Figures.count(texts.used))
        if texts.areUnused {
            blocks.append(
                .text(
                    "In the last 24 hours, only \(Figures.percent(texts.used, of: texts.sent)) of \(sent) texted codes were "
                        + "used. Check in the provider's log whether messages arrive. If they do, fraudsters may be "
                        + "requesting them: allow fewer countries with sms_allowed_countries, or turn on the captcha."))
        } else {
            blocks.append(.text("In the last 24 hours: sent \(sent), codes used \(used), failed \(failed)."))
        }
        if texts.failed > 0 {
            blocks.append(
                .text(
                    "Failed: \(failed). The list of emails has the reasons. Check the provider's credentials and balance."
                ))
        }
        return blocks + [.links([Link(title: "Emails and text messages", address: ConsolePlace.mails.path)])]
    }
}

private enum OverviewRange: String, CaseIterable {
    case day = "24h"
    case week = "7d"
    case month = "30d"

    private var title: String {
        switch self {
        case .day: "24 hours"
        case .week: "7 days"
        case .month: "30 days"
        }
    }

    var duration: Duration {
        switch self {
        case .day: .seconds(86_400)
        case .week: .seconds(604_800)
        case .month: .seconds(2_592_000)
        }
    }

    func link(isShown: Bool) -> Link {
        Link(title: isShown ? "✓ \(title)" : title, address: "\(ConsolePlace.overview.path)?range=\(rawValue)")
    }
}

extension BarChart {
    fileprivate func block(_ empty: String) -> [Block] {
        total == 0 ? [.soft(empty)] : [.drawing(figure.description)]
    }
}

extension Activity {
    fileprivate var funnelBlocks: [Block] {
        let shown = funnels.filter { !$0.isEmpty }.prefix(12)
        guard !shown.isEmpty else { return [.soft("The app reported nothing in this period.")] }
        return [.drawing(HTML.tag("div", ["class": "funnels"], all: shown.map(\.figure)).description)]
    }
}
