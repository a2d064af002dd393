"""An app that depends on the libraries by URL: which packages SwiftPM fetches for it. Nothing is compiled."""

import subprocess

import pytest

import program

PRODUCTS = ("Gatehouse", "GatehouseModel", "GatehouseUI", "GatehouseTesting")
FETCHED = {"gatehouse", "swift-crypto", "swift-asn1"}

MANIFEST = """// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "app", platforms: [.iOS(.v17), .macOS(.v15)],
    dependencies: [.package({dependency})],
    targets: [.target(name: "App", dependencies: [{products}])])
"""


def run(*command, folder):
    done = subprocess.run(
        command, cwd=folder, env=program.plain_environment(), capture_output=True, text=True,
        timeout=program.PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository with one commit, which is released: the working tree, with what is not committed yet."""
    folder = tmp_path_factory.mktemp("published") / "gatehouse.git"
    folder.mkdir()
    run("git", "init", "--quiet", "--bare", "--initial-branch=main", folder=folder)
    git = ("git", f"--git-dir={folder}", f"--work-tree={program.REPOSITORY}")
    run(*git, "add", "--all", folder=program.REPOSITORY)
    author = ("-c", "user.name=A Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
    run(*git, *author, "commit", "--quiet", "--message=The working tree", folder=program.REPOSITORY)
    run(*git, "tag", "0.2.0", folder=program.REPOSITORY)
    return folder


def checkouts(folder, dependency):
    """The packages that SwiftPM fetches for an app with this dependency and all libraries."""
    products = ", ".join(f'.product(name: "{name}", package: "gatehouse")' for name in PRODUCTS)
    (folder / "Sources" / "App").mkdir(parents=True)
    (folder / "Sources" / "App" / "App.swift").write_text("")
    (folder / "Package.swift").write_text(MANIFEST.format(dependency=dependency, products=products))
    run("swift", "package", "resolve", folder=folder)
    # Loads the manifests from the checkouts: the products must be found, and nothing more be fetched.
    run("swift", "package", "show-dependencies", folder=folder)
    return {path.name for path in (folder / ".build" / "checkouts").iterdir()}


@pytest.mark.parametrize("version", ('branch: "main"', 'from: "0.2.0"'))
def test_a_dependency_by_url_fetches_only_swift_crypto_and_its_own_dependency(repository, tmp_path, version):
    assert checkouts(tmp_path, f'url: "{repository.as_uri()}", {version}') == FETCHED


def test_a_dependency_by_path_without_traits_fetches_the_same(tmp_path):
    dependency = f'name: "gatehouse", path: "{program.REPOSITORY}", traits: []'
    assert checkouts(tmp_path, dependency) == FETCHED - {"gatehouse"}
