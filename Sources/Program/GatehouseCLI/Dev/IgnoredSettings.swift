package import GatehouseServer

/// Environment variables of `gatehouse serve`. `dev` has its own configuration and reads only those of hooks,
/// webhooks, traces and the OAuth server.
package struct IgnoredSettings: Sendable {
    /// This program's or Supabase Auth's. `dev` refuses to start with them.
    package let refused: [String]
    /// Other programs read them too (`PORT`, `DATABASE_URL`). `dev` reports that it ignores them.
    package let remarked: [String]

    /// An empty value is unset.
    package init(environment: [String: String]) {
        let isKnown = Set(Setting.allCases.flatMap(\.environmentNames)).contains
        let given = environment.filter { !$0.value.isEmpty }.keys.sorted()
        let isShared = { (name: String) in ["PORT", "DATABASE_URL"].contains(name) }
        refused = given.filter {
            !Self.accepted.contains($0) && ($0.hasPrefix("GOTRUE_") || (isKnown($0) && !isShared($0)))
        }
        remarked = given.filter(isShared)
    }

    private static let accepted = Set((Setting.hooks + Setting.traces + Setting.oauth).flatMap(\.environmentNames))

    package static func read(from environment: [String: String]) -> [String: String] {
        environment.filter { accepted.contains($0.key) && !$0.value.isEmpty }
    }

    /// - Throws: ``SettingsProblems`` with every variable that would be ignored.
    package func refuse() throws(SettingsProblems) {
        guard !refused.isEmpty else { return }
        let why =
            "ignored by `gatehouse dev`, which has its own configuration; unset it, or use `gatehouse serve`"
        throw SettingsProblems(refused.map { SettingsProblem($0, why) })
    }

    /// A sentence, or nil.
    package func remark(file: String?) -> String? {
        let names = remarked + (file.map { [$0] } ?? [])
        guard !names.isEmpty else { return nil }
        return "Ignored by `gatehouse dev`: \(names.joined(separator: ", ")). Use --port, --host, --data, --redirect."
    }
}
