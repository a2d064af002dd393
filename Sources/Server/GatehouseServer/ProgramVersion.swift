package enum ProgramVersion {
    package static let text = "0.3.0"
}
