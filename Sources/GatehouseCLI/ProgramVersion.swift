/// What this program is called when it is asked.
enum ProgramVersion {
    static let text = "0.1.0"
}
