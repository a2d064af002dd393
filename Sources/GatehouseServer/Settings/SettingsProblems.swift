import GatehouseWire

/// A value that cannot be used. Names the value, never shows it.
package struct SettingsProblem: Hashable, Sendable {
    /// As it was written: `GATEHOUSE_PORT`, or `port in gatehouse.yaml`.
    package let name: String
    /// What would be right, as the end of a sentence.
    package let expected: String

    package init(_ name: String, _ expected: String) {
        self.name = name
        self.expected = expected
    }
}

/// Everything that is wrong with the configuration, so that one restart mends it all.
package struct SettingsProblems: Error, Equatable, Sendable, CustomStringConvertible {
    package let problems: [SettingsProblem]

    package init(_ problems: [SettingsProblem]) { self.problems = problems }

    package var description: String {
        let lines = problems.map { "  \($0.name): \($0.expected)" }
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return "The configuration has \(count):\n" + lines.joined(separator: "\n")
    }
}
