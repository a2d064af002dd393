public import Foundation
import Gatehouse
import GatehouseWire

extension InMemoryAuthService {
    /// A text message that the server has sent. Its code is ``InMemoryAuthService/textCode(_:to:)``.
    public struct TextMessage: Hashable, Sendable {
        /// A message's purpose.
        public enum Kind: String, Hashable, Sendable {
            /// Confirms a sign-up.
            case confirmation
            /// Signs in.
            case signIn
            /// Confirms a new number.
            case phoneChange
            /// Proves a second factor.
            case secondFactor
        }

        /// The purpose.
        public var kind: Kind
        /// The number, with `+`.
        public var phone: String

        /// Creates a value to compare with.
        public init(kind: Kind, phone: String) {
            self.kind = kind
            self.phone = phone
        }
    }

    /// The sent text messages in order.
    public var texts: [TextMessage] { state.withLock { $0.server.texts } }

    /// The newest usable code of a kind to a number.
    ///
    /// It is valid for ten minutes (a second factor's for five) and five attempts, until one of the last three codes is
    /// used or the password changes.
    ///
    /// - Parameter phone: With or without `+`.
    public func textCode(_ kind: TextMessage.Kind, to phone: String) -> String? {
        let slots: Set<MailedCode.Slot> =
            switch kind {
            case .confirmation: [.textConfirmation]
            case .signIn: [.text, .textConfirmation]
            case .phoneChange: [.newPhone]
            case .secondFactor: [.factor]
            }
        let (now, digits) = (clock.now, String(phone.drop { $0 == "+" }))
        return state.withLock { state in
            state.server.codes.last { slots.contains($0.slot) && $0.email == digits && $0.isGood(at: now) }?.text
        }
    }

    /// Adds an account with a confirmed number, unless the number has one.
    ///
    /// - Parameter password: nil for an account that signs in with texted codes.
    /// - Returns: The account's id.
    @discardableResult
    public func addAccount(phone: String, password: String? = nil, firstName: String? = nil) -> UUID {
        let (now, digits) = (clock.now, String(phone.drop { $0 == "+" }))
        return state.withLock { state in
            if let known = state.server.phones.account(phone: digits) { return known.user.id }
            let id = state.server.add(email: nil, firstName: firstName, at: now)
            state.server.phones.setPhone(digits, of: id, isProven: true, at: now)
            state.server.update(id) { $0.password = password }
            return id
        }
    }
}
