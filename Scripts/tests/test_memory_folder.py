"""Tests of memory_folder: python3 -m unittest discover --start-directory Scripts"""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

import script_loading  # noqa: F401  the folders of the scripts
import memory_folder
from memory_folder import available_memory, temporary_files_in_memory

MUCH = 10**12


class MemoryFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.parent = pathlib.Path(folder.name)
        free = mock.patch("shutil.disk_usage", return_value=mock.Mock(free=memory_folder.NEEDED_FOLDER))
        self.usage = free.start()
        self.addCleanup(free.stop)

    def test_programs_write_temporary_files_to_a_folder_that_others_can_enter_and_that_goes_at_the_end(self):
        with mock.patch.dict(os.environ, {"TMPDIR": "/before"}):
            with temporary_files_in_memory(self.parent, MUCH) as folder:
                self.assertEqual(os.environ["TMPDIR"], folder)
                self.assertEqual(os.stat(folder).st_mode & 0o777, 0o755)
                pathlib.Path(folder, "left").write_text("behind")
            self.assertEqual(os.environ["TMPDIR"], "/before")
        self.assertEqual(list(self.parent.iterdir()), [])

    def test_an_error_removes_the_folder_and_the_variable_too(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("TMPDIR", None)
            with self.assertRaises(SystemExit), temporary_files_in_memory(self.parent, MUCH):
                raise SystemExit(130)
            self.assertNotIn("TMPDIR", os.environ)
        self.assertEqual(list(self.parent.iterdir()), [])

    def test_without_enough_room_or_memory_nothing_changes(self):
        with mock.patch.dict(os.environ, {"TMPDIR": "/before"}):
            for memory, free in ((memory_folder.NEEDED_MEMORY - 1, MUCH), (MUCH, memory_folder.NEEDED_FOLDER - 1)):
                self.usage.return_value.free = free
                with temporary_files_in_memory(self.parent, memory) as folder:
                    self.assertIsNone(folder)
                    self.assertEqual(os.environ["TMPDIR"], "/before")
        self.assertEqual(list(self.parent.iterdir()), [])
        with temporary_files_in_memory(self.parent / "missing", MUCH) as folder:
            self.assertIsNone(folder)

    def test_available_memory_is_read_from_the_table_of_linux_and_is_none_elsewhere(self):
        table = self.parent / "meminfo"
        table.write_text("MemTotal: 100 kB\nMemAvailable:   12 kB\n")
        self.assertEqual(available_memory(table), 12_288)
        self.assertEqual(available_memory(self.parent / "missing"), 0)


if __name__ == "__main__":
    unittest.main()
