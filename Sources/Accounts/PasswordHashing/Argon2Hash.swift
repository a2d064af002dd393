import CArgon2
import GatehouseWire

/// Version 1.3 (RFC 9106).
struct Argon2Hash: Hashable, Sendable {
    enum Variant: String, CaseIterable {
        case argon2i, argon2id
    }

    let variant: Variant
    let settings: Argon2Settings
    let salt: [UInt8]
    let tag: [UInt8]

    /// The hash to compare with for an unknown account. Its arbitrary tag saves computing one at startup.
    static func decoy(_ settings: Argon2Settings) -> Argon2Hash {
        Argon2Hash(
            variant: .argon2id, settings: settings,
            salt: Array(repeating: 0x67, count: settings.saltBytes),
            tag: Array(repeating: 0x68, count: settings.tagBytes))
    }

    /// - Returns: `nil` if libargon2 failed, usually for lack of memory.
    static func make(_ settings: Argon2Settings, salt: [UInt8], password: inout [UInt8]) -> Argon2Hash? {
        guard let tag = computeTag(.argon2id, settings, salt, &password) else { return nil }
        return Argon2Hash(variant: .argon2id, settings: settings, salt: salt, tag: tag)
    }

    /// - Returns: `nil` if libargon2 failed, usually for lack of memory.
    func matches(_ password: inout [UInt8]) -> Bool? {
        guard var computed = Self.computeTag(variant, settings, salt, &password) else { return nil }
        defer { computed.erase() }
        return computed.matchesInConstantTime(tag)
    }

    /// Whether equal tags mean equal passwords.
    func hasSameInput(as other: Argon2Hash) -> Bool {
        variant == other.variant && settings == other.settings && salt == other.salt
    }

    /// Hashes another password with the same salt and costs.
    ///
    /// - Returns: `nil` if libargon2 failed.
    func recomputed(_ password: inout [UInt8]) -> Argon2Hash? {
        Self.computeTag(variant, settings, salt, &password).map {
            Argon2Hash(variant: variant, settings: settings, salt: salt, tag: $0)
        }
    }

    private static func computeTag(
        _ variant: Variant, _ settings: Argon2Settings, _ salt: [UInt8], _ password: inout [UInt8]
    ) -> [UInt8]? {
        var tag = [UInt8](repeating: 0, count: settings.tagBytes)
        var salt = salt
        let status = password.withUnsafeMutableBufferPointer { password in
            salt.withUnsafeMutableBufferPointer { salt in
                tag.withUnsafeMutableBufferPointer { tag in
                    var context = argon2_context()
                    (context.out, context.outlen) = (tag.baseAddress, UInt32(tag.count))
                    (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
                    (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                    context.m_cost = UInt32(settings.memoryKiB)
                    context.t_cost = UInt32(settings.passes)
                    context.lanes = UInt32(settings.lanes)
                    // libargon2 would start a thread per lane, exceeding the limit of hashing threads.
                    context.threads = 1
                    context.allocate_cbk = takeHashingMemory
                    context.free_cbk = giveBackHashingMemory
                    context.version = ARGON2_VERSION_13.rawValue
                    return argon2_ctx(&context, variant == .argon2id ? Argon2_id : Argon2_i)
                }
            }
        }
        return status == ARGON2_OK.rawValue ? tag : nil
    }
}

extension Argon2Hash {
    /// Parses `$argon2id$v=19$m=…,t=…,p=…$salt$tag`, or `argon2i`.
    ///
    /// - Returns: `nil` for another version, variant (argon2d) or order, for `keyid` and `data`, and outside the limits
    ///   of ``Argon2Settings``.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[2] == "v=19",
            let variant = Variant(text: String(parts[1])),
            let salt = Base64.decodeUnpadded(parts[4]), let tag = Base64.decodeUnpadded(parts[5])
        else { return nil }
        let costs = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3,
            let memory = Self.number("m=", costs[0]), let passes = Self.number("t=", costs[1]),
            let lanes = Self.number("p=", costs[2]),
            let settings = Argon2Settings(
                memoryKiB: memory, passes: passes, lanes: lanes, saltBytes: salt.count, tagBytes: tag.count)
        else { return nil }
        self.init(variant: variant, settings: settings, salt: salt, tag: tag)
    }

    /// In PHC string format.
    var text: String {
        let costs = "m=\(settings.memoryKiB),t=\(settings.passes),p=\(settings.lanes)"
        return "$\(variant.rawValue)$v=19$\(costs)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(tag))"
    }

    private static func number(_ name: String, _ text: some StringProtocol) -> Int? {
        guard text.hasPrefix(name) else { return nil }
        return text.dropFirst(name.count).plainDecimal
    }
}
