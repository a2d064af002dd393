/// The version that the program reports.
enum ProgramVersion {
    static let text = "0.1.0"
}
