import GatehouseModel
import Testing

@Suite("The state machine")
struct PhaseTests {
    private static let phases: [AuthPhase] = [
        .restoring, .unauthenticated, .authenticating(.apple), .authenticated, .refreshing, .secondFactorNeeded,
    ]

    @Test(
        "Every phase knows its transitions and ignores others",
        arguments: [
            (.begin(.apple), [nil, .authenticating(.apple), nil, nil, nil, nil]),
            (.fail, [nil, nil, .unauthenticated, nil, nil, nil]),
            (.signedIn, Array(repeating: .authenticated, count: 6)),
            (.secondFactorNeeded, Array(repeating: .secondFactorNeeded, count: 6)),
            (.signedOut, Array(repeating: .unauthenticated, count: 6)),
            (.refreshStarted, [nil, nil, nil, .refreshing, nil, nil]),
            (.refreshEnded, [nil, nil, nil, nil, .authenticated, nil]),
        ] as [(AuthStep, [AuthPhase?])])
    func steps(_ step: AuthStep, _ after: [AuthPhase?]) {
        #expect(Self.phases.map { $0.after(step) } == after)
    }
}
