import AccountStore
import Foundation

/// Prints the reason and ends the program.
func fatal(_ text: String) -> Never {
    FileHandle.standardError.write(Data("session-explorer: \(text)\n".utf8))
    exit(2)
}

/// Explores schedules of the session protocol: the real client, the real refresh transaction, and a seed that decides
/// everything else.
///
///     session-explorer [--seeds FIRST COUNT] [--tell]
///
/// Exits with 0 if every promise held, and with 1 after naming the first broken one and the seed that reproduces it.
@main
struct Explorer {
    static func main() {
        var (first, count) = (UInt64(0), UInt64(1_000))
        let arguments = CommandLine.arguments
        if let index = arguments.firstIndex(of: "--seeds"), arguments.count > index + 2 {
            guard let from = UInt64(arguments[index + 1]), let many = UInt64(arguments[index + 2]) else {
                fatal("--seeds FIRST COUNT: both are whole numbers")
            }
            (first, count) = (from, many)
        }
        defer { removeFolder() }
        guard Scheduler.install() else { fatal("this runtime has no hook for its scheduler") }
        do {
            for seed in first..<(first + count) {
                if let complaint = try explore(seed, renew: (seed - first) % 2_000 == 0) {
                    print("broken: \(complaint)\nreplay: session-explorer --seeds \(seed) 1 --tell")
                    removeFolder()
                    exit(1)
                }
            }
        } catch {
            fatal("\(error)")
        }
        print("\(count) schedules from seed \(first): every promise held")
    }

    private static let accounts = Box<Accounts?>(nil)

    private static func explore(_ seed: UInt64, renew: Bool) throws -> String? {
        if renew {
            let new = try newAccounts()
            accounts.update { $0 = new }
        }
        guard let accounts = accounts.value else { fatal("no database") }
        // The previous world's leftovers must not affect this one.
        Scheduler.shared.run()
        var schedule = try Schedule(seed: seed, accounts: accounts, isTold: CommandLine.arguments.contains("--tell"))
        return try schedule.run()
    }

    /// In memory if possible: durability is not explored here.
    private static let folder: String = {
        let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        return parent + "/gatehouse-explorer-\(ProcessInfo.processInfo.processIdentifier)"
    }()

    private static func removeFolder() {
        // Ignored: the folder is in memory, and may not exist.
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func newAccounts() throws -> Accounts {
        removeFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let made = Box<Result<Accounts, any Error>?>(nil)
        Scheduler.shared.reseed(0)
        Task.detached {
            do {
                let accounts = try await ExploredServer.accounts(in: folder)
                made.update { $0 = .success(accounts) }
            } catch {
                made.update { $0 = .failure(error) }
            }
        }
        Scheduler.shared.run()
        guard let result = made.value else { fatal("the database did not open") }
        return try result.get()
    }
}
