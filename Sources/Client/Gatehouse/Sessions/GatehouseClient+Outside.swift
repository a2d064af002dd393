// Changes behind the client, for an app's tests.
extension GatehouseClient {
    /// Replaces the user of the session as a call of another part of the app does.
    package func replace(_ user: AuthUser, then event: AuthEvent?) async {
        guard let epoch = await coordinator.owner()?.epoch else { return }
        await coordinator.replace(user, startedIn: epoch, event: event)
    }

    /// Ends the session for a reason other than the app's request.
    package func end(because reason: SignedOutReason) async { _ = await coordinator.signOut(reason) }
}
