"""Loads a script, which has no `.py` in its name, as a module for its test. Importing this makes the scripts' modules
available."""

import importlib.util
import pathlib
import sys
from importlib.machinery import SourceFileLoader

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = [SCRIPTS, *(folder for folder in sorted(SCRIPTS.iterdir()) if folder.is_dir() and folder.name != "__pycache__")]
sys.path[:0] = [str(folder) for folder in FOLDERS]


def load(name):
    """`name`: the script's, or its path from the folder of all scripts."""
    path = next(folder / name for folder in FOLDERS if (folder / name).is_file())
    loader = SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    # Otherwise the loader leaves a compiled copy next to the script.
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module
