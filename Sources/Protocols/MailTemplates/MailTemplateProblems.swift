package struct MailTemplateProblems: Error, Equatable, Sendable, CustomStringConvertible {
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The file, or the caller's name of a subject.
        package let origin: String
        /// From 1; nil for the whole file.
        package let line: Int?
        /// The end of a sentence.
        package let reason: String

        init(_ origin: String, _ line: Int?, _ reason: String) {
            (self.origin, self.line, self.reason) = (origin, line, reason)
        }

        package var description: String { origin + (line.map { ":\($0)" } ?? "") + ": " + reason }
    }

    package let problems: [Problem]

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
