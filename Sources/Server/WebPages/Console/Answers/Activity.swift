import GatehouseWire

/// `GET /admin/activity`.
struct Activity {
    enum Step: Int64 {
        case hour = 3_600
        case day = 86_400
    }

    struct Count {
        let at: Instant
        let name: String
        let labels: [String]
        let count: Int
    }

    let from: Instant
    let until: Instant
    let step: Step
    let counts: [Count]
    let funnels: [Funnel]

    /// More than a month in days or four days in hours.
    static let maximumBins: Int64 = 100

    /// - Throws: ``WireProblem``, also beyond ``maximumBins``.
    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "activity")
        (from, until) = (try members.instant("from"), try members.instant("until"))
        guard let step = Step(rawValue: Int64(try members.count("step"))) else {
            throw WireProblem("activity.step: expected 3600 or 86400")
        }
        guard from <= until, (until.seconds - from.seconds) / step.rawValue <= Self.maximumBins else {
            throw WireProblem("activity.from: expected at most \(Self.maximumBins) steps")
        }
        self.step = step
        counts = try WireMembers.list("counts", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "count")
            return Count(
                at: try members.instant("at"), name: try members.required("name"), labels: try members.texts("labels"),
                count: try members.count("count"))
        }
        funnels = try WireMembers.list("funnels", of: json, Funnel.init)
    }
}

/// As reported by apps (Docs/telemetry.md).
struct Funnel {
    struct Failure {
        let type: String
        let count: Int
    }

    let method: String
    let selected: Int
    let started: Int
    let cancelled: Int
    let completed: Int
    /// The most frequent first.
    let failures: [Failure]

    init(json: AuthJSON) throws(WireProblem) {
        let members = try WireMembers(json, path: "funnel")
        method = try members.required("method")
        (selected, started) = (try members.count("selected"), try members.count("started"))
        (cancelled, completed) = (try members.count("cancelled"), try members.count("completed"))
        failures = try WireMembers.list("failed", of: json) { json throws(WireProblem) in
            let members = try WireMembers(json, path: "failed")
            return Failure(type: try members.required("error_type"), count: try members.count("count"))
        }.sorted { ($1.count, $0.type) < ($0.count, $1.type) }
    }

    var failed: Int { failures.reduce(0) { $0 + $1.count } }
    var isEmpty: Bool { selected + started + cancelled + completed + failed == 0 }
}

extension Activity {
    /// Start times, without ``until``.
    var bins: [Instant] {
        let first = floor(from)
        var bins: [Instant] = []
        var second = first.seconds
        repeat {
            bins.append(Instant(seconds: second))
            second += step.rawValue
        } while second < until.seconds
        return bins
    }

    /// nil outside of ``bins``.
    func bin(of time: Instant) -> Int? {
        let (first, own) = (floor(from), floor(time))
        guard own >= first, own < until || own == first else { return nil }
        return Int((own.seconds - first.seconds) / step.rawValue)
    }

    private func floor(_ time: Instant) -> Instant {
        let (seconds, length) = (time.seconds, step.rawValue)
        let rest = seconds % length
        return Instant(seconds: seconds - (rest < 0 ? rest + length : rest))
    }
}
