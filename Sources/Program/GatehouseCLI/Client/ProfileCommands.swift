import ArgumentParser
import Gatehouse
import GatehouseWire

struct ProfileCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Shows and changes the signed-in user's profile.",
        subcommands: [ShowProfile.self, SetProfile.self], defaultSubcommand: ShowProfile.self)
}

struct ShowProfile: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows the profile.")

    @OptionGroup var options: ClientOptions

    func perform(_ client: Client) async throws { try await client.show(await client.gateway.profile()) }
}

struct SetProfile: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Changes the given fields.",
        discussion: """
            An empty value clears a field, as in --name ''. A value of --data is JSON if it can be, otherwise a text: \
            --data mood=calm --data goal=8000.
            """)

    @OptionGroup var options: ClientOptions
    @Option(help: "At most 50 characters.") var firstName: String?
    @Flag(help: "Clear the first name.") var clearFirstName = false
    @Option(
        name: .customLong("team"),
        help: """
            At a server with a team catalogue: the id of a favorite team, from `gatehouse teams`. Repeatable; replaces \
            all favorites.
            """)
    var teams: [String] = []
    @Flag(help: "At a server with a team catalogue: clear the favorite teams.") var clearTeams = false
    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("One of the app's own fields. Repeatable; keeps the others.", valueName: "name=value"))
    var fields: [DataField] = []
    @Option(help: "The full name, at most 100 characters.") var name: String?
    @Option(help: "An IANA time zone, such as Europe/Berlin.") var timezone: String?
    @Option(name: .customLong("avatar-url"), help: "The https URL of a picture.") var avatarURL: String?

    func validate() throws {
        if firstName != nil, clearFirstName {
            throw ValidationError("--first-name and --clear-first-name exclude each other.")
        }
        if !teams.isEmpty, clearTeams { throw ValidationError("--team and --clear-teams exclude each other.") }
        if edit == ProfileEdit() {
            throw ValidationError("Say what to change, such as --first-name or --data.")
        }
    }

    private var changesTeams: Bool { !teams.isEmpty || clearTeams }

    private var edit: ProfileEdit {
        func change(_ text: String?) -> FieldChange { text.map { $0.isEmpty ? .clear : .set($0) } ?? .keep }
        var own = ProfileChange(firstName: clearFirstName ? .clear : change(firstName))
        for field in fields { own.data[field.name] = field.value }
        if changesTeams { own.others["favorite_teams"] = .array(teams.map(AnyJSON.string)) }
        return ProfileEdit(own, name: change(name), avatarURL: change(avatarURL), timezone: change(timezone))
    }

    func perform(_ client: Client) async throws {
        // Refuses at a server without a catalogue, before anything changes.
        if changesTeams { _ = try await Team.all(client.gateway, league: nil) }
        try await client.show(await client.gateway.updateProfile(edit))
    }
}

extension Client {
    func show(_ profile: Profile) async throws {
        // Only the text output shows names.
        let needsNames = !isJSON && profile.summary.favoriteTeams?.isEmpty == false
        // Ignored: without the teams' names, the output shows their ids.
        let teams = needsNames ? (try? await Team.all(gateway, league: nil)) ?? [] : []
        try answer(.profile(profile, teams: teams))
    }
}

/// An argument `name=value`: one of the app's own fields.
struct DataField: ExpressibleByArgument, Hashable {
    let name: String
    /// Null removes the field.
    let value: AnyJSON

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
        abstract: "At a server with a team catalogue: lists its teams. Requires no account.")

    @OptionGroup var options: ClientOptions
    @Option(help: "Only the teams of one league, such as nba.") var league: String?

    func perform(_ client: Client) async throws {
        try client.answer(.teams(await Team.all(client.gateway, league: league)))
    }
}
