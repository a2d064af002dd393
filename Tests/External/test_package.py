"""What SwiftPM fetches for each way to use the package. Nothing is compiled (Docs/decisions/0013-one-variable.md)."""

import json
import subprocess

import pytest

import program

PRODUCTS = ("Gatehouse", "GatehouseModel", "GatehouseUI", "GatehouseTesting", "GatehouseDesktop")
FETCHED = {"swift-crypto", "swift-asn1"}

MANIFEST = """// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "app", platforms: [.iOS(.v17), .macOS(.v15)],
    dependencies: [.package({dependency})],
    targets: [.target(name: "App", dependencies: [{products}])])
"""


def run(*command, folder, **variables):
    environment = {key: value for key, value in program.plain_environment().items() if key != "GATEHOUSE_COMPLETE"}
    done = subprocess.run(
        command, cwd=folder, env=environment | variables, capture_output=True, text=True, timeout=program.PATIENCE_SECONDS)
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


def clone(repository, folder):
    folder.parent.mkdir(parents=True, exist_ok=True)
    run("git", "clone", "--quiet", repository.as_uri(), str(folder), folder=folder.parent)
    return folder


def fetched(folder, **variables):
    """The packages that SwiftPM fetches for the package in this folder."""
    run("swift", "package", "resolve", folder=folder, **variables)
    # Loads the manifests from the checkouts: the products must be found, and nothing more be fetched.
    run("swift", "package", "show-dependencies", folder=folder, **variables)
    return {path.name for path in (folder / ".build" / "checkouts").iterdir()}


def app(folder, dependency):
    """An app with this dependency and all libraries."""
    products = ", ".join(f'.product(name: "{name}", package: "gatehouse")' for name in PRODUCTS)
    (folder / "Sources" / "App").mkdir(parents=True)
    (folder / "Sources" / "App" / "App.swift").write_text("")
    (folder / "Package.swift").write_text(MANIFEST.format(dependency=dependency, products=products))
    return folder


@pytest.mark.parametrize("version", ('branch: "main"', 'from: "0.2.0"'))
def test_an_app_with_a_dependency_by_url_fetches_only_swift_crypto_and_its_own_dependency(repository, tmp_path, version):
    assert fetched(app(tmp_path, f'url: "{repository.as_uri()}", {version}')) == FETCHED | {"gatehouse"}


def test_an_app_with_a_submodule_or_another_local_copy_fetches_the_same(repository, tmp_path):
    clone(repository, tmp_path / "Packages" / "gatehouse")
    assert fetched(app(tmp_path / "app", 'path: "../Packages/gatehouse"')) == FETCHED


def test_a_clone_without_the_variable_is_the_client(repository, tmp_path):
    assert fetched(clone(repository, tmp_path / "gatehouse")) == FETCHED


def test_a_copy_in_any_folder_has_the_same_manifest(repository, tmp_path):
    """A registry serves copies without a repository, which SwiftPM keeps in a folder of its own."""
    manifests = []
    for place in ("checkouts/gatehouse", "registry/downloads/acme/gatehouse/0.2.0", "gatehouse"):
        folder = clone(repository, tmp_path / place)
        described = json.loads(run("swift", "package", "dump-package", folder=folder))
        manifests.append({key: described[key] for key in ("dependencies", "products", "targets", "traits")})
    assert manifests[0] == manifests[1] == manifests[2]
    assert {product["name"] for product in manifests[0]["products"]} == set(PRODUCTS)


def test_with_the_variable_a_clone_has_the_program_too(repository, tmp_path):
    folder = clone(repository, tmp_path / "gatehouse")
    assert FETCHED | {"hummingbird", "swift-nio"} < fetched(folder, GATEHOUSE_COMPLETE="1")
