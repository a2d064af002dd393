"""Benchmarks/answer-times distinguishes two kinds of responses only by their times."""

import random
import unittest

from script_loading import load

answer_times = load("../Benchmarks/answer-times")


class MannWhitneyTests(unittest.TestCase):
    def test_the_probability_is_that_of_the_formula(self):
        # By hand: U = 0 of 25, deviation 12 / 4.787; with ties U = 3 of 16, deviation 4.5 / 3.295.
        for first, second, probability in (
            ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0.012186),
            ([1, 2, 2, 3], [2, 3, 3, 4], 0.172034),
            ([1, 1], [1, 1], 1.0),
        ):
            with self.subTest(first):
                self.assertAlmostEqual(answer_times.mann_whitney(first, second), probability, 3)

    def test_a_shift_is_seen_and_none_is_not(self):
        chance = random.Random(1)
        one, same = ([chance.gauss(20, 1) for _ in range(200)] for _ in range(2))
        self.assertGreater(answer_times.mann_whitney(one, same), 0.01)
        self.assertLess(answer_times.mann_whitney(one, [value + 1 for value in same]), 1e-10)


if __name__ == "__main__":
    unittest.main()
