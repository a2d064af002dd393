import Gatehouse
import Testing

@Suite("Changes of a profile")
struct ProfileChangeTests {
    @Test("Absent keeps; nothing but an explicit change erases, and nil is none")
    func erasing() {
        let change: Any.Type = FieldChange.self
        #expect(!(change is any ExpressibleByNilLiteral.Type))
        #expect(ProfileChange().isEmpty && !ProfileChange(firstName: .clear).isEmpty)
    }
}
