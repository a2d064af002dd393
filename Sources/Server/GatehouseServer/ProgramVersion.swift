/// The program's name for its own version.
package enum ProgramVersion {
    package static let text = "0.3.0"
}
