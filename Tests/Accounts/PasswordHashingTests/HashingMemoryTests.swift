import Testing

@testable import PasswordHashing

@Suite("The memory of hashing threads")
struct HashingMemoryTests {
    private static let bytes = 3 * 1_024 * 1_024
    private let memory = HashingMemory(blockBytes: bytes)

    private func use(blocks count: Int) throws {
        let blocks = try (0..<count).map { _ in try #require(memory.take(Self.bytes)) }
        #expect(Set(blocks).count == count)
        for block in blocks {
            (block[0], block[Self.bytes - 1]) = (1, 2)
            memory.giveBack(block, Self.bytes)
        }
    }

    @Test("A block is used again, and returned when it was unused from one call to the next")
    func unused() throws {
        try use(blocks: 1)
        try use(blocks: 1)
        #expect(memory.keptCount == 1)
        memory.releaseUnused()
        #expect(memory.keptCount == 1)
        memory.releaseUnused()
        #expect(memory.keptCount == 0)
        try use(blocks: 1)
        #expect(memory.keptCount == 1)
    }

    @Test("While one thread has work, only the memory of the others is returned")
    func oneBusyThread() throws {
        try use(blocks: 3)
        for _ in 0..<3 {
            memory.releaseUnused()
            try use(blocks: 1)
        }
        #expect(memory.keptCount == 1)
    }

    @Test("A block of another size is not kept, nor is a block in use returned")
    func others() throws {
        let (own, other) = (try #require(memory.take(Self.bytes)), try #require(memory.take(4_096)))
        memory.releaseUnused()
        memory.releaseUnused()
        (own[Self.bytes - 1], other[4_095]) = (3, 4)
        memory.giveBack(other, 4_096)
        #expect(memory.keptCount == 0)
        memory.giveBack(own, Self.bytes)
        #expect(memory.keptCount == 1)
    }
}
