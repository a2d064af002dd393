import GatehouseCLI
import Testing

@Suite("The parts that --only names")
struct PartOptionsTests {
    private static let commands = ["serve", "check-config", "doctor", "migrate", "upgrade-check"]

    @Test(
        "Every command takes the parts that `serve` takes", arguments: commands,
        ["auth", "gateway", "pages", "auth,gateway", "auth, pages", "auth,gateway,pages"])
    func accepted(command: String, parts: String) {
        #expect(ClientFailure(arguments: [command, "--only", parts]) == nil)
    }

    @Test(
        "Every command refuses others", arguments: commands, ["", "page", "gateway,pages"])
    func refused(command: String, parts: String) throws {
        let failure = try #require(ClientFailure(arguments: [command, "--only", parts]))
        #expect(failure.message.contains("expected"))
    }
}
