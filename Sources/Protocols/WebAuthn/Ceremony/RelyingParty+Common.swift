import GatehouseWire

extension RelyingParty {
    /// §7.1 steps 7 to 11, §7.2 steps 10 to 14.
    func check(_ data: ClientData, _ kind: ClientData.Kind, _ challenge: [UInt8]) throws(CeremonyFailure) {
        guard data.kind == kind else {
            throw CeremonyFailure(.clientDataType, "type of the other ceremony, or of none")
        }
        guard Self.isSame(data.challenge, challenge) else { throw CeremonyFailure(.challenge, "another challenge") }
        guard let origin = CeremonyOrigin(data.origin), origins.contains(origin) else {
            throw CeremonyFailure(.origin, "an unknown origin")
        }
        try checkFrame(data)
    }

    private func checkFrame(_ data: ClientData) throws(CeremonyFailure) {
        guard !allowsFrames else { return }
        guard !data.isCrossOrigin || !topOrigins.isEmpty else {
            throw CeremonyFailure(.crossOrigin, "in a frame of another site")
        }
        guard let topOrigin = data.topOrigin else { return }
        guard data.isCrossOrigin, let top = CeremonyOrigin(topOrigin), topOrigins.contains(top) else {
            throw CeremonyFailure(.topOrigin, "in a frame of an unknown site")
        }
    }

    /// §7.1 steps 14 to 17, §7.2 steps 15 to 18.
    func check(
        _ data: AuthenticatorData, _ verification: UserVerificationPolicy, requiresPresence: Bool
    ) throws(CeremonyFailure) {
        guard Self.isSame(data.relyingPartyIDHash, idHash) else {
            throw CeremonyFailure(.relyingPartyID, "another RP ID")
        }
        guard !requiresPresence || data.flags.contains(.userPresent) else {
            throw CeremonyFailure(.userPresence, "no user presence")
        }
        guard verification != .required || data.flags.contains(.userVerified) else {
            throw CeremonyFailure(.userVerification, "no user verification")
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw CeremonyFailure(.backupState, "backed up, but not eligible for it")
        }
    }

    /// In a time that depends only on the lengths.
    static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
