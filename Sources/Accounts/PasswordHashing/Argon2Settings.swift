import GatehouseWire

package struct Argon2Settings: Hashable, Sendable {
    /// Per computation.
    package let memoryKiB: Int
    package let passes: Int
    /// Computed sequentially on one thread.
    package let lanes: Int
    package let saltBytes: Int
    package let tagBytes: Int

    /// About 34 ms on one core (OWASP Password Storage Cheat Sheet, "Argon2id").
    package static let owasp = Argon2Settings(trusted: 19_456, passes: 2, lanes: 1, saltBytes: 16, tagBytes: 32)

    /// Equally strong according to OWASP: takes more memory of an attacker's hardware.
    package static let owaspMemory = Argon2Settings(trusted: 47_104, passes: 1, lanes: 1, saltBytes: 16, tagBytes: 32)

    /// ``StoredHash``'s limits.
    ///
    /// - Returns: `nil` outside 8 KiB per lane to 1 GiB, 1…20 passes, 1…16 lanes, a salt of 8…48 bytes and a tag of
    ///   12…64 bytes.
    package init?(memoryKiB: Int, passes: Int, lanes: Int = 1, saltBytes: Int = 16, tagBytes: Int = 32) {
        guard (1...16).contains(lanes), (1...20).contains(passes),
            (8 * lanes...1_048_576).contains(memoryKiB),
            (8...48).contains(saltBytes), (12...64).contains(tagBytes)
        else { return nil }
        self.init(trusted: memoryKiB, passes: passes, lanes: lanes, saltBytes: saltBytes, tagBytes: tagBytes)
    }

    private init(trusted memoryKiB: Int, passes: Int, lanes: Int, saltBytes: Int, tagBytes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.saltBytes = saltBytes
        self.tagBytes = tagBytes
    }

    func isWeaker(than target: Argon2Settings) -> Bool {
        memoryKiB < target.memoryKiB || passes < target.passes
            || saltBytes < target.saltBytes || tagBytes < target.tagBytes
    }

    /// Over four times the work of `target`: such an imported hash would occupy a hashing thread at each sign-in.
    func isDear(beside target: Argon2Settings) -> Bool {
        memoryKiB * passes > 4 * target.memoryKiB * target.passes
    }
}
