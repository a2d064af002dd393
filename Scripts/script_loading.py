"""Loads a script of this folder, which has no `.py` in its name, as a module for its test."""

import importlib.util
import pathlib
import sys
from importlib.machinery import SourceFileLoader

FOLDER = pathlib.Path(__file__).parent


def load(name):
    sys.path.insert(0, str(FOLDER))
    loader = SourceFileLoader(name.replace("-", "_"), str(FOLDER / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    # A loader without this leaves a compiled copy beside the script.
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module
