package import GatehouseServer

/// The part of an environment that configures `gatehouse serve`. `gatehouse dev` makes its own configuration and reads
/// none of it.
package struct IgnoredSettings: Sendable {
    /// Meant for this program or for Supabase Auth: `dev` does not start with them.
    package let refused: [String]
    /// Other programs read these too (`PORT`, `DATABASE_URL`): `dev` starts, and says that they do not count.
    package let remarked: [String]

    /// Empty text counts as not set.
    package init(environment: [String: String]) {
        let known = Setting.allCases.flatMap { setting in
            let names = [setting.environmentName] + setting.foreignNames
            return setting.isSecret ? names + names.map { $0 + "_FILE" } : names
        }
        let isKnown = Set(known).contains
        let given = environment.filter { !$0.value.isEmpty }.keys.sorted()
        let isShared = { (name: String) in ["PORT", "DATABASE_URL"].contains(name) }
        refused = given.filter { $0.hasPrefix("GOTRUE_") || (isKnown($0) && !isShared($0)) }
        remarked = given.filter(isShared)
    }

    /// - Throws: ``SettingsProblems`` with every name that would silently not count.
    package func refuse() throws(SettingsProblems) {
        guard !refused.isEmpty else { return }
        let why =
            "does not count for `gatehouse dev`, which makes its own configuration; unset it, or use `gatehouse serve`"
        throw SettingsProblems(refused.map { SettingsProblem($0, why) })
    }

    /// One sentence, or nil when nothing needs to be said.
    ///
    /// - Parameter file: The YAML file of the working directory, when there is one.
    package func remark(file: String?) -> String? {
        let names = remarked + (file.map { [$0] } ?? [])
        guard !names.isEmpty else { return nil }
        return "Not read by `gatehouse dev`: \(names.joined(separator: ", ")). Use --port, --host, --data, --redirect."
    }
}
