package import GatehouseWire

/// Hashes and compares passwords on threads of its own, so that a storm of sign-ins slows no other request.
///
/// Each thread holds the memory of one computation: 19 MiB with ``Argon2Settings/owasp``, more for an imported hash. Creating a hasher computes nothing. It has to be shut down before it is let go.
package struct PasswordHasher: Sendable {
    private let settings: Argon2Settings
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let threads: HashingThreads

    /// - Parameters:
    ///   - threads: As many as there are cores; each at nice 10 on Linux.
    ///   - waitingPerThread: How many may wait for each thread before the next is refused, or whoever has most of
    ///     the places gives one up. With 64 the last one waits about 2 s.
    ///   - randomBytes: A cryptographic source, called on the hashing threads.
    ///   - observe: Called on the hashing threads after each computation.
    package init(
        settings: Argon2Settings = .owasp,
        threads: Int,
        waitingPerThread: Int = 64,
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        observe: @escaping @Sendable (HashingObservation) -> Void = { _ in }
    ) {
        self.settings = settings
        self.randomBytes = randomBytes
        self.threads = HashingThreads(count: threads, waitingPerThread: waitingPerThread, observe: observe)
    }

    /// Jobs that wait for a thread.
    package var queueDepth: Int { threads.queueDepth }

    /// - Parameter source: Whose turn in the queue it takes.
    /// - Returns: Argon2id in the PHC string format, about 100 characters.
    /// - Throws: ``HashingRefusal``; nothing was computed, or it is lost.
    package func hash(
        _ password: Secret, for source: HashingSource = .none
    ) async throws(HashingRefusal) -> Secret {
        try await threads.run(.argon2id, for: source) { [settings, randomBytes] in
            withBytes(of: password) { bytes in
                Argon2Hash.make(settings, salt: randomBytes(settings.saltBytes), password: &bytes)
            }
            .map { Secret($0.text) }
        }
    }

    /// Compares a password with what is stored about a person, `nil` for a person who does not exist.
    ///
    /// Without a hash, or with one that cannot be read, the same Argon2id work is done and the answer is no:
    /// time does not tell who has an account. An imported bcrypt or scrypt hash takes a time of its own, which
    /// ends when the caller stores a new hash at that person's next sign-in.
    ///
    /// - Throws: ``HashingRefusal``; then nothing is known about the password.
    package func matches(
        _ password: Secret, _ stored: String?, for source: HashingSource = .none
    ) async throws(HashingRefusal) -> PasswordCheck {
        let known = stored.flatMap(StoredHash.init)
        let compared = known ?? StoredHash(.decoy(settings))
        let isMatch = try await threads.run(compared.algorithm, for: source) {
            withBytes(of: password) { compared.matches(&$0) }
        }
        guard isMatch, let known else { return .wrong }
        return .right(needsUpgrade: known.needsUpgrade(to: settings))
    }

    /// Lets running computations finish; those who wait get ``HashingRefusal/shutDown``, and so does everyone
    /// who comes later.
    package func shutdown() async {
        await threads.shutdown()
    }
}

/// The one place where a password leaves its type here; the copy is erased afterwards.
private func withBytes<Output>(of password: Secret, _ body: (inout [UInt8]) -> Output) -> Output {
    var bytes = Array(password.reveal().utf8)
    defer { bytes.erase() }
    return body(&bytes)
}
