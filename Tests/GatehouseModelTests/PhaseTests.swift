import GatehouseModel
import Testing

@Suite("The state machine")
struct PhaseTests {
    private static let phases: [AuthPhase] = [
        .restoring, .unauthenticated, .authenticating(.apple), .authenticated, .refreshing,
    ]

    @Test(
        "Every phase knows its transitions and ignores others",
        arguments: [
            (.begin(.apple), [nil, .authenticating(.apple), nil, nil, nil]),
            (.fail, [nil, nil, .unauthenticated, nil, nil]),
            (.signedIn, [.authenticated, .authenticated, .authenticated, .authenticated, .authenticated]),
            (.signedOut, Array(repeating: .unauthenticated, count: 5)),
            (.refreshStarted, [nil, nil, nil, .refreshing, nil]),
            (.refreshEnded, [nil, nil, nil, nil, .authenticated]),
        ] as [(AuthStep, [AuthPhase?])])
    func steps(_ step: AuthStep, _ after: [AuthPhase?]) {
        #expect(Self.phases.map { $0.after(step) } == after)
    }
}
