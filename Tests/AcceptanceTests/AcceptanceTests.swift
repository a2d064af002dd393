import Testing

/// What the designs accept, tapped through: screens, models, client, HTTP and server are the ones that ship. Each test
/// is a row of Docs/acceptance.md.
///
/// One after the other: every test has a server and a screen of its own, and all screens share the main actor.
@Suite("The acceptance criteria of the designs", .serialized, .timeLimit(.minutes(5)))
struct AcceptanceTests {}
