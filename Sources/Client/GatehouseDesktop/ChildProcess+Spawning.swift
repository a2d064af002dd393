import Foundation
import Gatehouse

extension ChildProcess {
    /// Starts the program in its own process group, without other descriptors.
    ///
    /// - Throws: ``ChildProblem/notStarted(_:)``.
    func spawn(input: Int32, output: Int32, errors: Int32) throws -> pid_t {
        var (actions, attributes) = emptySpawnParts()
        try check(posix_spawn_file_actions_init(&actions))
        defer { posix_spawn_file_actions_destroy(&actions) }
        try check(posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }
        // Without standard descriptors here, these may be 0 to 2 and overwrite each other.
        let moved = [input, output, errors].map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        defer { for descriptor in moved where descriptor >= 0 { close(descriptor) } }
        for (number, descriptor) in moved.enumerated() {
            guard descriptor >= 0 else { throw ChildProblem.notStarted(EMFILE) }
            try check(posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number)))
        }
        try prepare(&attributes)
        return try start(&actions, &attributes)
    }

    private func prepare(_ attributes: inout SpawnAttributes) throws {
        var (none, defaults) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&defaults)
        // Children inherit ignored signals, which servers have.
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD] { sigaddset(&defaults, signal) }
        try check(posix_spawnattr_setsigmask(&attributes, &none))
        try check(posix_spawnattr_setsigdefault(&attributes, &defaults))
        try check(posix_spawnattr_setpgroup(&attributes, 0))
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
        try check(posix_spawnattr_setflags(&attributes, Int16(flags | furtherSpawnFlags)))
    }

    private func start(_ actions: inout SpawnActions, _ attributes: inout SpawnAttributes) throws -> pid_t {
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0.key + "=" + $0.value) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child: pid_t = 0
        try check(posix_spawn(&child, path, &actions, &attributes, &argv, &envp))
        return child
    }

    private func check(_ number: Int32) throws {
        guard number == 0 else { throw ChildProblem.notStarted(number) }
    }

    /// Skips relative folders.
    static func find(_ name: String, environment: [String: String]) -> String? {
        for folder in (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        where folder.hasPrefix("/") {
            let path = folder + "/" + name
            if access(String(path), X_OK) == 0 { return String(path) }
        }
        return nil
    }
}
