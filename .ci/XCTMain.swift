import Testing

// `.ci/run` puts this file into Tests. SwiftPM takes it as the start of the tests, and then does not search the
// compiler's index for tests of XCTest, of which there are none. `swift test` would pass Swift Testing's tests over.
@main
struct SwiftTests {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
