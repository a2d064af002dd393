import ArgumentParser
import GatehouseWire

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Prints a shell completion script.",
        discussion: """
            Write it to where the shell looks for it, and restart the shell.

            EXAMPLES:
              cd ~/.local/share/bash-completion/completions
              gatehouse completions bash > gatehouse

              cd ~/.config/fish/completions
              gatehouse completions fish > gatehouse.fish

            zsh searches the folders in fpath (fpath+=~/.zfunc before compinit):

              cd ~/.zfunc
              gatehouse completions zsh > _gatehouse
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var script: String {
            switch self {
            case .bash: RootCommand.completionScript(for: .bash)
            case .zsh: RootCommand.completionScript(for: .zsh)
            case .fish: RootCommand.completionScript(for: .fish)
            }
        }
    }

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() throws {
        let script = shell.script
        try Output.send(script.hasSuffix("\n") ? script : script + "\n")
    }
}
