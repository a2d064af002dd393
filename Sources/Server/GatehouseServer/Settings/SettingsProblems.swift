import GatehouseWire

/// Contains the setting's name, never its value.
package struct SettingsProblem: Hashable, Sendable {
    /// As written: `GATEHOUSE_PORT`, or `port in gatehouse.yaml`.
    package let name: String
    /// The end of a sentence.
    package let expected: String

    package init(_ name: String, _ expected: String) {
        self.name = name
        self.expected = expected
    }

    func concerns(_ settings: [Setting]) -> Bool {
        settings.contains { setting in
            setting.environmentNames.contains(name)
                || [setting.key, setting.key + "_file"].contains { name.hasPrefix($0 + " in ") }
        }
    }
}

package struct SettingsProblems: Error, Equatable, Sendable, CustomStringConvertible {
    package let problems: [SettingsProblem]

    package init(_ problems: [SettingsProblem]) { self.problems = problems }

    package var description: String {
        let lines = problems.map { "  \($0.name): \($0.expected)" }
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return "The configuration has \(count):\n" + lines.joined(separator: "\n")
    }
}
