"""Builds the program that is installed, and writes the folder tree of an installation. For `install` and `dist`."""

import dataclasses
import datetime
import gzip
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess

import manual_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Its own folder: other options than those of `swift build` would compile everything again in .build.
SCRATCH = ROOT / ".build" / "dist"
# Texts of the apps that `gatehouse dev` shows. A program without them serves, and has no /app.
RESOURCES = ("LiveScreens", "GatehouseModel", "GatehouseUI", "BoxScoreScreens", "DailyRitualScreens")
SHELLS = ("bash", "zsh", "fish")


@dataclasses.dataclass(frozen=True)
class Stamp:
    """What a build is made from: the commit, abbreviated to 12 digits, and its time in seconds since 1970."""

    commit: str
    epoch: int

    @property
    def time(self):
        return datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)

    @property
    def date(self):
        return self.time.strftime("%Y-%m-%d")


def git(*arguments):
    # The owner of the files may be another: `sudo make install`.
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), *arguments]
    return subprocess.check_output(command, text=True).strip()


def stamp():
    """Of HEAD. SOURCE_DATE_EPOCH in the environment replaces the time."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct")
    return Stamp(git("rev-parse", "--short=12", "HEAD")[:12], int(epoch))


def changed():
    """The files that differ from HEAD."""
    return git("status", "--porcelain", "--untracked-files=no").splitlines()


def program_version(source):
    """The version in the text of ProgramVersion.swift."""
    return re.search(r'static let text = "([^"]+)"', source).group(1)


def package_version(version, tags, stamp):
    """`0.3.0` for the commit with that tag, otherwise a version that sorts after it, by time."""
    if f"v{version}" in tags or version in tags:
        return version
    return f"{version}+git{stamp.time.strftime('%Y%m%d%H%M%S')}.{stamp.commit}"


def versions(stamp):
    """The program's version, and that of the package."""
    text = (ROOT / "Sources" / "Server" / "GatehouseServer" / "ProgramVersion.swift").read_text(encoding="utf-8")
    version = program_version(text)
    return version, package_version(version, git("tag", "--points-at", "HEAD").split(), stamp)


def build_options():
    """For `swift build`: those of every release, without the paths of this machine."""
    release = subprocess.run([ROOT / "Scripts" / "release" / "release-options"], capture_output=True, text=True, check=True).stdout
    return [
        *release.split(), "--scratch-path", str(SCRATCH), "-debug-info-format", "none",
        "-Xswiftc", "-file-prefix-map", "-Xswiftc", f"{ROOT}=.", "-Xcc", f"-ffile-prefix-map={ROOT}=.",
    ]


def build(stamp):
    """Builds the program; returns the folder that it is in."""
    environment = {
        **os.environ, "GATEHOUSE_COMPLETE": "1", "GATEHOUSE_BUILD_COMMIT": stamp.commit, "GATEHOUSE_BUILD_DATE": stamp.date,
        "SOURCE_DATE_EPOCH": str(stamp.epoch),
    }
    subprocess.run(["swift", "build", *build_options()], cwd=ROOT, env=environment, check=True)
    return SCRATCH / "release"



@dataclasses.dataclass(frozen=True)
class Places:
    """Folders of an installation, absolute."""

    prefix: str
    configuration: str = "/etc/gatehouse"
    units: str = ""
    completions: tuple[str, str, str] = ()
    compressed: bool = False

    @property
    def library(self):
        return f"{self.prefix}/lib/gatehouse"

    def share(self, path):
        return f"{self.prefix}/share/{path}"


def usual_places(prefix):
    completions = ("bash-completion/completions/gatehouse", "zsh/site-functions/_gatehouse",
                   "fish/vendor_completions.d/gatehouse.fish")
    return Places(prefix, units=f"{prefix}/lib/systemd/system", completions=completions)


def debian_places():
    completions = ("bash-completion/completions/gatehouse", "zsh/vendor-completions/_gatehouse",
                   "fish/vendor_completions.d/gatehouse.fish")
    return Places("/usr", units="/lib/systemd/system", completions=completions, compressed=True)


def write(folder, path, content, mode=0o644):
    """Writes one file of the tree `folder` with these permissions, whatever the umask."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / path.lstrip("/")
    for parent in reversed([each for each in place.parents if folder in each.parents]):
        if not parent.exists():
            parent.mkdir()
            parent.chmod(0o755)
    place.write_bytes(content if isinstance(content, bytes) else content.encode())
    place.chmod(mode)
    return place


def packed(content):
    return gzip.compress(content if isinstance(content, bytes) else content.encode(), 9, mtime=0)


def ran(program, *arguments):
    """The output of the program, which reads no configuration of this machine."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GATEHOUSE_", "GOTRUE_"))}
    return subprocess.check_output([str(program), *arguments], text=True, env=environment)


def unit(text, places):
    """The systemd unit for a program below `places`."""
    return text.replace("/usr/local/bin/gatehouse", f"{places.prefix}/bin/gatehouse").replace(
        "/etc/gatehouse", places.configuration)


def profile(text, places):
    return text.replace("@LIBEXEC@", places.library).replace("/etc/gatehouse", places.configuration)


def stripped(program, place):
    options = ["--strip-unneeded", "--remove-section=.comment"] if platform.system() == "Linux" else ["-x"]
    subprocess.run(["strip", *options, "-o", str(place), str(program)], check=True)
    place.chmod(0o755)


def lay_out(folder, built, places, stamp, version):
    """Writes all files of an installation below `folder`, except the configuration and what the system owns."""
    program = built / "gatehouse"
    stripped(program, write(folder, f"{places.library}/gatehouse", b""))
    for name in RESOURCES:
        source = built / f"gatehouse_{name}.resources"
        for file in sorted(path for path in source.rglob("*") if path.is_file()) if source.exists() else ():
            write(folder, f"{places.library}/{source.name}/{file.relative_to(source)}", file.read_bytes())
    link = write(folder, f"{places.prefix}/bin/gatehouse", b"")
    link.unlink()
    link.symlink_to("../lib/gatehouse/gatehouse")
    dump = json.loads(ran(program, "--experimental-dump-help"))
    for name, text in manual_pages.pages(dump, f"gatehouse {version}", stamp.date).items():
        path = places.share(f"man/man1/{name}")
        write(folder, *((f"{path}.gz", packed(text)) if places.compressed else (path, text)))
    for shell, path in zip(SHELLS, places.completions):
        # The shell reads it as part of itself.
        write(folder, places.share(path), ran(program, "completions", shell).removeprefix("#!/bin/bash\n"))
    deploy = ROOT / "Deploy"
    write(folder, f"{places.units}/gatehouse.service", unit((deploy / "gatehouse.service").read_text(), places))
    for name in ("gatehouse.yaml", "nginx.conf", "nginx-one-server.conf", "Caddyfile"):
        write(folder, places.share(f"doc/gatehouse/examples/{name}"), (deploy / name).read_text())
    write(folder, places.share("doc/gatehouse/examples/teams.json"), (ROOT / "Apps/BoxScore/teams.json").read_text())
    return folder


def emptied(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    return folder
