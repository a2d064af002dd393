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
        commandName: "set", abstract: "Changes the given members.",
        discussion: "An empty value clears a member, as in --name ''.")

    @OptionGroup var options: ClientOptions
    @Option(help: "At most 50 characters.") var firstName: String?
    @Flag(help: "Clear the first name.") var clearFirstName = false
    @Option(
        name: .customLong("team"),
        help: "The id of a favourite team, from `gatehouse teams`. Repeatable; replaces all favourites.")
    var teams: [String] = []
    @Flag(help: "Clear the favourite teams.") var clearTeams = false
    @Option(help: "The full name, at most 100 characters.") var name: String?
    @Option(help: "An IANA time zone, such as Europe/Berlin.") var timezone: String?
    @Option(name: .customLong("avatar-url"), help: "The https URL of a picture.") var avatarURL: String?

    func validate() throws {
        if firstName != nil, clearFirstName {
            throw ValidationError("--first-name and --clear-first-name exclude each other.")
        }
        if !teams.isEmpty, clearTeams { throw ValidationError("--team and --clear-teams exclude each other.") }
        if edit == ProfileEdit() {
            throw ValidationError("Say what to change, such as --first-name or --team.")
        }
    }

    private var edit: ProfileEdit {
        func change(_ text: String?) -> FieldChange { text.map { $0.isEmpty ? .clear : .set($0) } ?? .keep }
        return ProfileEdit(
            firstName: clearFirstName ? .clear : change(firstName),
            favoriteTeams: teams.isEmpty && !clearTeams ? nil : teams, name: change(name),
            avatarURL: change(avatarURL), timezone: change(timezone))
    }

    func perform(_ client: Client) async throws { try await client.show(await client.gateway.updateProfile(edit)) }
}

extension Client {
    func show(_ profile: Profile) async throws {
        // Only the text output shows names.
        let needsNames = !isJSON && !profile.summary.favoriteTeams.isEmpty
        // Lost: the names of the teams. The output shows ids instead.
        let teams = needsNames ? (try? await gateway.teams()) ?? [] : []
        try answer(.profile(profile, teams: teams))
    }
}

struct Teams: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "teams", abstract: "Lists the teams that can be favourites. Requires no account.")

    @OptionGroup var options: ClientOptions
    @Option(help: "Only the teams of one league, such as nba.") var league: String?

    func perform(_ client: Client) async throws {
        try client.answer(.teams(await client.gateway.teams(league: league)))
    }
}
