import Testing

/// The acceptance criteria of the designs, against the real screens, models, client, HTTP and server. The
/// comment above a test names its criteria in Docs/reference/acceptance.md.
///
/// Serialized: every test has its own server and screen, and all screens share the main actor.
@Suite("The acceptance criteria of the designs", .serialized, .timeLimit(.minutes(5)))
struct AcceptanceTests {}
