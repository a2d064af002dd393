import GatehouseWire
import HTTPServing
import HTTPTypes

extension WebPages {
    @Sendable func showOverview(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let range = OverviewRange(text: visit.fields["range"] ?? "") ?? .day
        var page = Page("Overview")
        page.blocks = [.actions(OverviewRange.allCases.map { $0.link(isShown: $0 == range) })]
        page.blocks += try await visit.activityParts(range, now: now())
        page.blocks += try await visit.part("Latency of this process") { visit in
            let routes = try RouteLatency.list(json: await visit.callAsAdmin(.get, "/admin/latency"))
            var table = Table(
                caption: "Latency", columns: ["Route", "Requests", "Median", "99%"], empty: "No requests yet.")
            table.rows = routes.prefix(20).map { route in
                [
                    Cell("\(route.method.cutForChart) \(route.route.shown)"),
                    Cell(Figures.count(route.count), isNumber: true),
                    Cell(Figures.milliseconds(route.p50), isNumber: true),
                    Cell(Figures.milliseconds(route.p99), isNumber: true),
                ]
            }
            return [.table(table)]
        }
        page.blocks += try await visit.queueParts()
        return .page(page)
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

extension Visit {
    fileprivate mutating func activityParts(_ range: OverviewRange, now: Instant) async throws -> [Block] {
        try await part("Sign-ins") { visit in
            let from = FormText.escape("\(now - range.duration)")
            let until = FormText.escape("\(now)")
            let activity = try Activity(
                json: await visit.callAsAdmin(.get, "/admin/activity?from=\(from)&until=\(until)"))
            let methods = BarChart("methods", "By method", activity, of: "sign_ins") {
                $0.first.map(MethodNames.shown)
            }
            let ends = BarChart("outcomes", "By outcome", activity, of: "sign_ins") { labels in
                labels.count > 1 ? SignInEnd(outcome: labels[1]).rawValue : nil
            }.inOrder(SignInEnd.allCases.map { ($0.rawValue, $0.tone) })
            let verdicts = BarChart("refreshes", "By verdict", activity, of: "refreshes") {
                $0.first.map(VerdictNames.shown)
            }
            return methods.block("No sign-ins in this time.") + (ends.total > 0 ? ends.block("") : [])
                + [.heading("Refreshes")] + verdicts.block("No refreshes in this time.")
                + [.heading("The app's funnel")] + activity.funnelBlocks
        }
    }

    fileprivate mutating func queueParts() async throws -> [Block] {
        let mails = try await part("Mails") { visit in
            let outbox = try Outbox(json: await visit.callAsAdmin(.get, "/admin/outbox?limit=1"))
            let age = outbox.oldest.map { ", the oldest for \(Figures.age(since: $0, now: visit.pages.now()))" } ?? ""
            return [
                .text(
                    outbox.waiting == 0 ? "No mails are waiting." : "Waiting: \(Figures.count(outbox.waiting))\(age)."),
                .links([Link(title: "Mails", address: ConsolePlace.mails.path)]),
            ]
        }
        return mails
            + (try await part("Webhooks") { visit in
                let answer = try Deliveries(json: await visit.callAsAdmin(.get, "/admin/deliveries?limit=50"))
                let failed = answer.deliveries.count { $0.state == "failed" }
                let waiting = answer.endpoints.reduce(0) { $0 + ($1.waiting ?? 0) }
                return [
                    .text(
                        "Waiting deliveries: \(Figures.count(waiting)). Failed among the last "
                            + "\(Figures.count(answer.deliveries.count)): \(Figures.count(failed))."),
                    .links([Link(title: "Webhooks", address: ConsolePlace.webhooks.path)]),
                ]
            })
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
        guard !shown.isEmpty else { return [.soft("The app has reported nothing in this time.")] }
        return [.drawing(HTML.tag("div", ["class": "funnels"], all: shown.map(\.figure)).description)]
    }
}
