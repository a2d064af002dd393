"""What a program is made of, in CycloneDX 1.5: the packages of Package.resolved that it links, the compiler's runtime, and
the Debian packages of the libraries that it loads.

The same commit and the same machine give the same text: the serial number is derived from the contents.
"""

import json
import pathlib
import re
import subprocess
import uuid


def linked_modules(link_list):
    """The modules in SwiftPM's list of what is linked."""
    return set(re.findall(r"/([^/\n]+)\.build/", link_list))


def swift_components(pins, modules, sources_of):
    """A component for each package with a linked module. `sources_of`: the modules of a package by its identity."""
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        if not modules & set(sources_of(pin["identity"])):
            continue
        address = pin["location"].removesuffix(".git")
        name = address.rsplit("/", 1)[-1]
        version = pin["state"].get("version") or pin["state"]["revision"]
        purl = f"pkg:swift/{address.removeprefix('https://')}@{version}"
        yield {
            "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "externalReferences": [{"type": "vcs", "url": pin["location"], "comment": pin["state"]["revision"]}],
        }


def debian_component(package, version, architecture, distribution):
    # The epoch and the plus sign of a version are not allowed as they are.
    safe = version.replace(":", "%3A").replace("+", "%2B").replace("~", "~")
    purl = f"pkg:deb/debian/{package.replace('+', '%2B')}@{safe}?arch={architecture}&distro={distribution}"
    return {"type": "library", "bom-ref": purl, "name": package, "version": version, "purl": purl}


def document(name, version, date, components):
    """`date`: RFC 3339."""
    main = {"type": "application", "bom-ref": f"{name}@{version}", "name": name, "version": version,
            "licenses": [{"license": {"id": "MIT"}}]}
    components = sorted(components, key=lambda component: component["bom-ref"])
    body = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"timestamp": date, "component": main}, "components": components,
        "dependencies": [{"ref": main["bom-ref"], "dependsOn": [each["bom-ref"] for each in components]}],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    return json.dumps({**body, "serialNumber": f"urn:uuid:{serial}"}, indent=2, sort_keys=True) + "\n"


def output(*command):
    return subprocess.check_output(command, text=True)


def checkout_modules(checkouts):
    """Finds the module names of a checkout: the folders that hold its sources."""
    def of(identity):
        found = [each for each in checkouts.iterdir() if each.name.lower() == identity]
        return {path.name for each in found for path in each.glob("Sources/**/*") if path.is_dir()}
    return of


def late_libraries(root):
    """The libraries that the program loads at first use, which neither ldd nor dpkg-shlibdeps sees."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((root / "Sources").glob("System/*/*.c"))]
    return {name for text in texts for name in re.findall(r'late_library \w+ = \{\.file = "([^"]+)"', text)}


def library_packages(program, late=()):
    """(package, version, architecture) of the libraries that the program names itself, and of those in `late`."""
    named = set(re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", str(program))))
    paths = dict(re.findall(r"(\S+) => (\S+)", output("ldd", str(program))))
    known = dict(reversed(re.findall(r"^\s*(\S+) \(.*\) => (\S+)$", output("ldconfig", "-p"), re.MULTILINE)))
    paths |= {name: known[name] for name in late if name in known}
    if missing := set(late) - set(paths):
        raise SystemExit(f"not on this system: {', '.join(sorted(missing))}")
    found = set()
    for library in sorted((named | set(late)) & set(paths)):
        # Debian 12 has /lib as a link to /usr/lib, and its records name either.
        path = pathlib.Path(paths[library])
        candidates = [str(path), str(path).removeprefix("/usr"), str(path.resolve())]
        for candidate in candidates:
            ended = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
            if ended.returncode == 0:
                package = ended.stdout.split(": ")[0].split(",")[0]
                form = "${Package} ${Version} ${Architecture}\n"
                found.add(tuple(output("dpkg-query", "-W", "-f", form, package).split()))
                break
        else:
            raise SystemExit(f"no Debian package has {path}, which the program loads")
    return sorted(found)


def of_program(program, link_list, root, scratch, version, date):
    """The text for a program that was built in `scratch`."""
    pins = json.loads((root / "Package.resolved").read_text())["pins"]
    modules = linked_modules(link_list.read_text())
    components = list(swift_components(pins, modules, checkout_modules(scratch / "checkouts")))
    compiler = re.search(r"Swift version (\S+)", output("swiftc", "-print-target-info")).group(1)
    components.append({
        "type": "framework", "bom-ref": f"swift-runtime@{compiler}", "name": "swift-runtime", "version": compiler,
        "description": "The Swift standard library, Foundation and Dispatch, linked statically.",
        "externalReferences": [{"type": "website", "url": "https://www.swift.org"}],
    })
    release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    distribution = release.get("VERSION_CODENAME", "unknown").strip('"')
    components += [debian_component(*each, distribution) for each in library_packages(program, late_libraries(root))]
    return document("gatehouse", version, date, components)
