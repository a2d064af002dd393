import Gatehouse
import GatehouseWire

extension CodeModel {
    /// The recipient for display: a number in blocks, left to right in every language.
    public var recipient: String { kind.isTexted ? email.shownNumber : email.shownAddress }

    /// - Returns: nil unless the method is a telephone. The first message is requested by ``sendAgain()``.
    convenience init?(texting method: ProofMethod, manager: AuthManager) {
        guard case .phone(let factor) = method else { return nil }
        self.init(
            .phoneFactor(factor.id), email: "+" + (factor.phone ?? ""), wait: .zero, phase: .editing, manager: manager)
    }
}

extension String {
    /// A telephone number in blocks, isolated from surrounding text of another direction (UAX #9).
    package var shownNumber: String { "\u{2066}" + CallingCode.formatted(self) + "\u{2069}" }
}
