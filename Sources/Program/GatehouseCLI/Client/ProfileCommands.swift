import ArgumentParser
import Gatehouse
import GatehouseWire

struct ProfileCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Shows and changes your profile.",
        subcommands: [ShowProfile.self, SetProfile.self], defaultSubcommand: ShowProfile.self)
}

struct ShowProfile: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the profile.",
        discussion: "EXAMPLES:\n  gatehouse profile\n  gatehouse profile show --json")

    @OptionGroup(title: "Connection Options") var options: ClientOptions

    func perform(_ client: Client) async throws { try await client.show(await client.gateway.profile()) }
}

struct SetProfile: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Changes the given fields.",
        discussion: """
            An empty value clears a field. A --data value is JSON if it is valid JSON, otherwise text.

            EXAMPLES:
              gatehouse profile set --first-name Ada --timezone Europe/London
              gatehouse profile set --data mood=calm --data goal=8000
              gatehouse profile set --name ''
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Option(help: ArgumentHelp("The first name, at most 50 characters.", valueName: "name")) var firstName: String?
    @Flag(help: "Clear the first name.") var clearFirstName = false
    @Option(
        name: .customLong("team"),
        help: ArgumentHelp(
            """
            At a server with a team catalogue: the ID of a favorite team, from `gatehouse teams`. Repeatable; replaces \
            all favorites.
            """, valueName: "id"))
    var teams: [String] = []
    @Flag(help: "At a server with a team catalogue: clear the favorite teams.") var clearTeams = false
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("A custom field. Repeatable; other fields are kept.", valueName: "name=value"))
    var fields: [DataField] = []
    @Option(help: "The full name, at most 100 characters.") var name: String?
    @Option(help: ArgumentHelp("An IANA time zone, such as Europe/Berlin.", valueName: "zone")) var timezone: String?
    @Option(name: .customLong("avatar-url"), help: ArgumentHelp("The https URL of a picture.", valueName: "url"))
    var avatarURL: String?

    func validate() throws {
        if firstName != nil, clearFirstName {
            throw ValidationError("--first-name and --clear-first-name cannot be combined.")
        }
        if !teams.isEmpty, clearTeams { throw ValidationError("--team and --clear-teams cannot be combined.") }
        if edit == ProfileEdit() {
            throw ValidationError("Specify at least one field, such as --first-name or --data.")
        }
    }

    private var changesTeams: Bool { !teams.isEmpty || clearTeams }

    private var edit: ProfileEdit {
        func change(_ text: String?) -> FieldChange { text.map { $0.isEmpty ? .clear : .set($0) } ?? .keep }
        var own = ProfileChange(firstName: clearFirstName ? .clear : change(firstName))
        for field in fields { own.data[field.name] = field.value }
        if changesTeams { own.others["favorite_teams"] = .array(teams.map(AuthJSON.string)) }
        return ProfileEdit(own, name: change(name), avatarURL: change(avatarURL), timezone: change(timezone))
    }

    func perform(_ client: Client) async throws {
        // Fails without a catalogue before anything changes.
        if changesTeams { _ = try await Team.all(client.gateway, league: nil) }
        try await client.show(await client.gateway.updateProfile(edit))
    }
}

extension Client {
    func show(_ profile: Profile) async throws {
        let needsNames = !isJSON && profile.summary.favoriteTeams?.isEmpty == false
        // Ignored: without names, the output shows the teams' ids.
        let teams = needsNames ? (try? await Team.all(gateway, league: nil)) ?? [] : []
        try answer(.profile(profile, teams: teams))
    }
}

/// An argument `name=value`: a custom field.
struct DataField: ExpressibleByArgument, Hashable {
    let name: String
    /// Null removes the field.
    let value: AuthJSON

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        name = String(parts[0])
        // Ignored: a value that is not JSON is text.
        value = parts[1].isEmpty ? .null : (try? JSONReader.read(String(parts[1]))) ?? .string(String(parts[1]))
    }
}

struct Teams: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "teams",
        abstract: "At a server with a team catalogue: lists its teams. Works without an account.",
        discussion: "EXAMPLES:\n  gatehouse teams --league nba")

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Option(help: "Only one league's teams, such as nba.") var league: String?

    func perform(_ client: Client) async throws {
        try client.answer(.teams(await Team.all(client.gateway, league: league)))
    }
}
