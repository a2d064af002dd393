// Changes behind the client, for an app's tests.
extension GatehouseClient {
    package func replace(_ user: AuthUser, then event: AuthEvent?) async {
        guard let epoch = await coordinator.owner()?.epoch else { return }
        await coordinator.replace(user, startedIn: epoch, event: event)
    }

    package func end(because reason: SignedOutReason) async { _ = await coordinator.signOut(reason) }
}
