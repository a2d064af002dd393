import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Logging

extension AuthServer {
    /// - Parameters:
    ///   - id: The same for all attempts; nil generates one.
    ///   - payload: Writes the members after `metadata`.
    /// - Returns: nil if there is no such hook, it says nothing, or its failure is allowed.
    /// - Throws: ``HookFailure``, ``Refusal`` if the hook decided so, or `CancellationError`.
    func ask(
        _ name: HookName, id: String? = nil, from address: String? = nil, _ payload: (inout JSONWriter) -> Void
    ) async throws -> AuthJSONObject? {
        guard let hooks, let hook = hooks[name] else { return nil }
        let id = id ?? Identifier<Hook>(random: accounts.randomBytes(16)).text
        var writer = JSONWriter(capacity: 2_048)
        writer.beginObject()
        writer.name("metadata")
        writer.beginObject()
        writer.member("uuid", id)
        writer.member("time", runtime.now())
        writer.member("name", name.payloadName)
        writer.member("ip_address", ifPresent: address)
        writer.endObject()
        payload(&writer)
        writer.endObject()
        let call = HookCall(
            name: name, hook: hook, message: WebhookMessage(id: id, body: writer.bytes), send: hooks.send,
            now: runtime.now, sleep: runtime.sleep)
        do {
            let answer = try await call.answer()
            if let refusal = answer.flatMap(Refusal.init(hookAnswer:)) {
                counts.hooks.increment(name.rawValue, "refused")
                throw refusal
            }
            counts.hooks.increment(name.rawValue, "answered")
            return answer
        } catch let failure as HookFailure {
            try pass(failure, of: name, hook)
            return nil
        }
    }

    /// - Throws: The failure, unless the settings allow it.
    func pass(_ failure: HookFailure, of name: HookName, _ hook: Hook) throws(HookFailure) {
        counts.hooks.increment(name.rawValue, "failed")
        hooks?.logger.event(.warning, "hook failed", [.name: name.rawValue, .cause: "\(failure)"])
        guard hook.continuesOnFailure else { throw failure }
    }

    /// Calls `before_user_created` outside of any transaction.
    ///
    /// - Parameter body: Runs again after the hook has agreed.
    func creating<Value: Sendable>(
        from device: Device? = nil, _ body: (Accounts) async throws -> Value
    ) async throws -> Value {
        do {
            return try await body(accounts)
        } catch let needed as AccountNeedsAdmission {
            return try await body(try await admitted(needed.account, from: device))
        }
    }

    /// Asks `before_user_created` about an account that is not stored yet.
    ///
    /// - Returns: A store that creates this account.
    func admitted(_ account: Account, from device: Device?) async throws -> Accounts {
        guard hooks?[.beforeUserCreated] != nil else { return accounts }
        do {
            let answer = try await ask(.beforeUserCreated, from: device?.address) { writer in
                writer.name("user")
                writer.user(account)
            }
            if answer?["decision"]?.stringValue == "reject" {
                let message = answer?["message"]?.stringValue ?? ""
                throw Refusal(
                    .forbidden, .unknown,
                    message.isEmpty ? "A hook refused the account" : message.cut(to: 1_000))
            }
        } catch let failure as HookFailure {
            throw Refusal(failure)
        }
        return accounts.admitting(account.user.id)
    }
}
