import Gatehouse
import GatehouseCLI
import GatehouseServer
import TestSupport
import Testing

@Suite("The command line of the terminal client")
struct CommandLineTests {
    @Test(
        "A valid command line is accepted",
        arguments: [
            ["login"], ["login", "--email", "ada@example.com", "--password-stdin", "--json"],
            ["signup", "--email", "ada@example.com", "--first-name", "Ada", "--password-stdin"],
            ["whoami", "--url", "https://accounts.example.com", "--key", "sb_publishable_x"], ["profile"],
            ["profile", "--json"], ["profile", "show"], ["profile", "set", "--team", "nba_1", "--team", "nba_2"],
            ["profile", "set", "--clear-first-name", "--clear-teams"], ["profile", "set", "--name", ""],
            ["profile", "set", "--data", "mood=calm", "--data", "goal=8000", "--data", "note="],
            ["profile", "set", "--timezone", "Europe/London", "--avatar-url", "https://example.com/a.png"],
            ["teams"], ["teams", "--league", "nba"], ["sessions"], ["sessions", "list"],
            ["sessions", "revoke", "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11"], ["sessions", "revoke", "--others"],
            ["logout"], ["logout", "--everywhere"], ["delete-account", "--yes"], ["completions", "zsh"],
            ["exit-codes"], ["login", "--help"], ["login", "--provider", "google", "--no-browser"],
            ["login", "--provider", "apple", "--callback-port", "4321"], ["login", "--magic-link"],
            ["login", "--magic-link", "--email", "ada@example.com", "--send-only"],
            ["login", "--magic-link", "--code-stdin"], ["login", "--password-stdin", "--factor-stdin"],
            ["login", "--password-stdin", "--code-stdin"], ["login", "--phone", "+49 170 1234567"],
            ["login", "--phone", "+491701234567", "--send-only"],
            ["login", "--phone", "0015551230001", "--code-stdin"],
            ["login", "--phone", "+491701234567", "--password-stdin", "--code-stdin"],
            ["mfa", "enroll", "--phone", "+491701234567"],
            ["mfa", "challenge", "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11", "--json"],
            [
                "mfa", "verify", "--factor", "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11", "--challenge",
                "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a12",
            ],
            ["mfa"], ["mfa", "list", "--json"], ["mfa", "enroll", "--name", "phone"],
            ["mfa", "verify", "--factor-stdin"],
            ["mfa", "remove", "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11"], ["mfa", "recovery-codes", "--new"],
            ["recover", "--send-only"], ["recover", "--email", "ada@example.com", "--code-stdin"], ["verify"],
            ["verify", "--email", "ada@example.com", "--code-stdin"], ["verify", "--resend", "--send-only"],
        ])
    func understood(arguments: [String]) {
        #expect(ClientFailure(arguments: arguments) == nil)
    }

    @Test(
        "An invalid one is refused before anything happens",
        arguments: [
            (["login", "--password", "x"], "--password"), (["profile", "set"], "Specify at least one field"),
            (["profile", "set", "--first-name", "Ada", "--clear-first-name"], "cannot be combined"),
            (["profile", "set", "--team", "nba_1", "--clear-teams"], "cannot be combined"),
            (["profile", "set", "--data", "mood"], "--data"), (["profile", "set", "--data", "=calm"], "--data"),
            (["sessions", "revoke"], "--others"),
            (["sessions", "revoke", "--others", "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11"], "--others"),
            (["sessions", "revoke", "first"], "first is not a session ID"), (["completions", "tcsh"], "tcsh"),
            (["sign-in"], "sign-in"),
            (["login", "--provider", "google", "--email", "a@example.com"], "cannot be combined"),
            (["login", "--magic-link", "--password-stdin"], "--magic-link"),
            (["login", "--send-only"], "--magic-link"), (["login", "--code-stdin"], "--password-stdin"),
            (["login", "--magic-link", "--provider", "google"], "--magic-link"),
            (["login", "--phone", "0170 1234567"], "+ and its country's code"),
            (["login", "--phone", "+491701234567", "--email", "a@example.com"], "cannot be combined"),
            (["login", "--phone", "+491701234567", "--password-stdin", "--send-only"], "cannot be combined"),
            (["mfa", "verify", "--challenge", "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11"], "--factor"),
            (["mfa", "challenge", "first"], "first is not a factor ID"),
            (["recover", "--code-stdin", "--send-only"], "cannot be combined"),
            (["recover", "--code", "123456"], "--code"),
            (["verify", "--send-only"], "--resend"), (["verify", "--resend", "--code-stdin"], "cannot be combined"),
            (["login", "--callback-port", "4321"], "--provider"), (["login", "--provider", "me too"], "me too"),
        ])
    func refused(arguments: [String], word: String) throws {
        let failure = try #require(ClientFailure(arguments: arguments))
        #expect(failure.exit == .usage)
        #expect(failure.code == "usage")
        #expect(failure.message.contains(word))
    }

    @Test("The library for apps has the version of the program")
    func version() {
        #expect("gatehouse-swift/\(ProgramVersion.text)".hasPrefix(GatehouseClient.Options().clientInfo + "."))
    }

    @Test("A server starts in a shell that names one for the client")
    func environment() throws {
        _ = try GivenValues.settings(["GATEHOUSE_URL": "https://example.com", "GATEHOUSE_KEY": "sb_publishable_x"])
    }
}
