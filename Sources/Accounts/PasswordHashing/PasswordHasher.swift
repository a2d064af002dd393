package import GatehouseWire

/// Hashes and compares passwords on dedicated threads, so that many sign-ins do not slow other requests.
///
/// Each thread holds one computation's memory: 20 MiB with ``Argon2Settings/owasp``, more for an imported hash. Call
/// ``shutdown()`` before releasing a hasher.
package struct PasswordHasher: Sendable {
    private let settings: Argon2Settings
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let threads: HashingThreads

    /// - Parameters:
    ///   - threads: Usually one per core. On Linux they run at nice 10.
    ///   - waitingPerThread: Beyond it, the next job is refused or the source with most places gives one up. With 64
    ///     the last one waits about 2 s.
    ///   - randomBytes: Cryptographically secure; called on the hashing threads.
    ///   - watch: For traces; nil without them.
    ///   - observe: Called on the hashing threads.
    package init(
        settings: Argon2Settings = .owasp,
        threads: Int,
        waitingPerThread: Int = 64,
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        watch: HashingWatch? = nil,
        observe: @escaping @Sendable (HashingObservation) -> Void = { _ in }
    ) {
        self.settings = settings
        self.randomBytes = randomBytes
        self.threads = HashingThreads(
            count: threads, waitingPerThread: waitingPerThread, watch: watch, observe: observe)
    }

    package var queueDepth: Int { threads.queueDepth }

    /// Hashes the prepared form (`OpaqueString`).
    ///
    /// - Parameters:
    ///   - salt: At least 8 bytes; nil for a random one.
    ///   - source: Whose turn in the queue the job takes.
    /// - Returns: Argon2id in PHC string format, about 100 characters.
    package func hash(
        _ password: Secret, salt: [UInt8]? = nil, for source: HashingSource = .none
    ) async throws(HashingRefusal) -> Secret {
        try await threads.run(.argon2id, for: source) { [settings, randomBytes] in
            withBytes(of: password, OpaqueString.prepare) { bytes in
                Argon2Hash.make(settings, salt: salt ?? randomBytes(settings.saltBytes), password: &bytes)
            }
            .map { Secret($0.text) }
        }
    }

    /// Compares a password with a stored hash; `nil` if the account does not exist.
    ///
    /// Without a readable hash, does the same Argon2id work and returns ``PasswordCheck/wrong``, so that timing does
    /// not reveal which accounts exist. An imported bcrypt or scrypt hash takes a different time until its account's
    /// next sign-in replaces it.
    ///
    /// Imported hashes, and those of earlier releases, are of the text as typed. If that differs from the prepared
    /// form, the check takes up to two computations, and the hash needs an upgrade.
    package func matches(
        _ password: Secret, _ stored: String?, for source: HashingSource = .none
    ) async throws(HashingRefusal) -> PasswordCheck {
        let known = stored.flatMap(StoredHash.init)
        let compared = known ?? StoredHash(.decoy(settings))
        let match = try await threads.run(compared.algorithm, for: source) { compared.match(of: password) }
        guard match != .none, let known else { return .wrong }
        return .right(needsUpgrade: match == .typed || known.needsUpgrade(to: settings))
    }

    /// Hashes with the same salt and costs share one computation.
    ///
    /// - Returns: The first match's index.
    package func firstMatch(
        of password: Secret, among stored: [String], for source: HashingSource = .none
    ) async throws(HashingRefusal) -> Int? {
        let forms: [@Sendable (String) -> String] = hasOneForm(password) ? [{ $0 }] : [OpaqueString.prepare, { $0 }]
        for form in forms {
            var computed: [(like: Argon2Hash, tag: Argon2Hash)] = []
            for (index, text) in stored.enumerated() {
                guard let known = StoredHash(text) else { continue }
                guard let hash = known.argon2 else {
                    let isMatch = try await threads.run(known.algorithm, for: source) {
                        withBytes(of: password, form) { known.matches(&$0) }
                    }
                    if isMatch == true { return index }
                    continue
                }
                if let same = computed.first(where: { $0.like.hasSameInput(as: hash) }) {
                    if same.tag.tag.matchesInConstantTime(hash.tag) { return index }
                    continue
                }
                let made = try await threads.run(.argon2id, for: source) {
                    withBytes(of: password, form) { hash.recomputed(&$0) }
                }
                computed.append((hash, made))
                if made.tag.matchesInConstantTime(hash.tag) { return index }
            }
        }
        return nil
    }

    /// Frees memory unused since the previous call. The next computation takes a tenth longer.
    package func releaseUnusedMemory() { HashingMemory.shared.releaseUnused() }

    /// Running computations finish. Waiting and later jobs fail with ``HashingRefusal/shutDown``.
    package func shutdown() async {
        await threads.shutdown()
    }
}

extension StoredHash {
    fileprivate enum Match: Sendable {
        case none, prepared, typed
    }

    /// - Returns: The form that matches; `nil` if a computation failed.
    fileprivate func match(of password: Secret) -> Match? {
        withBytes(of: password, OpaqueString.prepare) { prepared in
            withBytes(of: password, \.self) { typed in
                let hasOneForm = prepared == typed
                guard let isMatch = matches(&prepared) else { return nil }
                if isMatch || hasOneForm { return isMatch ? .prepared : Match.none }
                return matches(&typed).map { $0 ? .typed : .none }
            }
        }
    }
}

private func hasOneForm(_ password: Secret) -> Bool {
    withBytes(of: password, OpaqueString.prepare) { prepared in
        withBytes(of: password, \.self) { prepared == $0 }
    }
}

/// The only place in this module where a password leaves its type. Erases the copy.
private func withBytes<Output>(
    of password: Secret, _ form: (String) -> String, _ body: (inout [UInt8]) -> Output
) -> Output {
    var bytes = Array(form(password.reveal()).utf8)
    defer { bytes.erase() }
    return body(&bytes)
}
