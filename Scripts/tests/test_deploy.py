"""The files in Deploy/ name only existing settings and paths."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "Deploy")


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def setting_pattern():
    """Matches every key that the configuration's page lists. `<provider>` stands for any name there."""
    rows = re.findall(r"^\* `([a-z_<>]+)`(?: †)?(?: \(`[^`]*`\))?: .*?( Secret\.)?$", read("Docs", "configuration.md"), re.MULTILINE)
    return re.compile("|".join(re.sub("<[a-z]+>", "[a-z_]+", key) + ("(_file)?" if secret else "") for key, secret in rows))


class DeployTests(unittest.TestCase):
    def test_every_setting_is_one_of_the_program(self):
        settings = setting_pattern()
        self.assertTrue(settings.fullmatch("database"))
        # Those of the build, not of the program.
        known = set(re.findall(r'"(GATEHOUSE_(?:BUILD_[A-Z]+|COMPLETE))"', read("Package.swift")))
        files = [entry.name for entry in os.scandir(FOLDER) if entry.is_file()]
        for name in sorted(files):
            named = set(re.findall(r"\bGATEHOUSE_[A-Z0-9_]+", read("Deploy", name)))
            unknown = {it for it in named - known if not settings.fullmatch(it.removeprefix("GATEHOUSE_").lower())}
            self.assertEqual(sorted(unknown), [], name)

    def test_files_copied_into_the_image_exist(self):
        sources = re.findall(r"^COPY (?!--from)(.+) \S+$", read("Deploy", "Dockerfile"), re.MULTILINE)
        copied = [path for source in sources for path in source.split()]
        for path in copied:
            # The brackets make it optional: Git does not have this file.
            self.assertTrue(os.path.exists(os.path.join(ROOT, path)) or path == "Package.resolve[d]", path)
        # Docker sends only the listed paths to the build.
        kept = re.findall(r"^!(\S+)$", read("Deploy", "Dockerfile.dockerignore"), re.MULTILINE)
        self.assertEqual(sorted(kept), sorted(path.replace("[d]", "d") for path in copied))

    def test_the_image_copies_every_folder_that_the_manifest_names(self):
        copied = re.findall(r"^COPY (\w+) \1$", read("Deploy", "Dockerfile"), re.MULTILINE)
        named = set(re.findall(r"^    (\w+)/\w+$", read("Package.swift"), re.MULTILINE)) | {"Apps", "Development"}
        self.assertEqual(sorted(copied), sorted(named))

    def test_the_image_has_the_libraries_that_the_build_links(self):
        text = read("Deploy", "Dockerfile")
        linked = re.findall(r"lib(sqlite3|argon2|qrencode|crypt|pq|yaml|curl4-openssl)-dev", text)
        self.assertEqual(sorted(linked), ["argon2", "crypt", "curl4-openssl", "pq", "qrencode", "sqlite3", "yaml"])
        for library in ("libsqlite3-0", "libargon2-1", "libqrencode4", "libcrypt1", "libpq5", "libyaml-0-2", "libcurl4 "):
            self.assertIn(library, text)

    def test_no_pod_is_given_variables_named_after_its_service(self):
        # GATEHOUSE_PORT=tcp://… and others, which the program refuses as settings.
        text = read("Deploy", "kubernetes.yaml")
        self.assertIn("gatehouse", re.findall(r"^kind: Service\nmetadata: {name: (\w+)}", text, re.MULTILINE))
        pods = re.findall(r"^ +containers:$", text, re.MULTILINE)
        self.assertGreater(len(pods), 0)
        self.assertEqual(text.count("      enableServiceLinks: false\n"), len(pods))

    def test_every_url_of_a_database_server_has_an_sslmode(self):
        # Without sslmode it would be verify-full, which needs the certificate of an authority.
        for name in ("compose.yaml", "kubernetes.yaml"):
            urls = re.findall(r"postgres://\S+", read("Deploy", name))
            self.assertGreater(len(urls), 0, name)
            for url in urls:
                self.assertRegex(url, r"sslmode=(disable$|verify-full&sslrootcert=/)", name)

    def test_the_authority_of_the_database_is_where_the_url_says(self):
        text = read("Deploy", "kubernetes.yaml")
        folder = re.search(r"sslrootcert=(\S+)/root\.crt", text).group(1)
        self.assertIn(f"volumeMounts: &authority [{{name: database, mountPath: {folder}, readOnly: true}}]", text)
        self.assertEqual(text.count("volumeMounts:"), text.count("image: gatehouse"))

    def test_the_memory_of_a_pod_has_room_for_its_hashing_threads(self):
        text = read("Deploy", "kubernetes.yaml")
        threads = int(re.search(r'GATEHOUSE_HASH_THREADS, value: "(\d+)"', text).group(1))
        limit = int(re.search(r"limits: {memory: (\d+)Mi}", text).group(1))
        # Argon2id takes 19 MiB for each, an imported hash up to 64 MiB more (`hash_threads`).
        self.assertLess(threads * (19 + 64), limit - 128)

    def test_a_program_behind_a_proxy_of_its_machine_trusts_it(self):
        self.assertIn("--config /etc/gatehouse/gatehouse.yaml", read("Deploy", "gatehouse.service"))
        self.assertIn("\ntrusted_proxies: [127.0.0.0/8,", read("Deploy", "gatehouse.yaml"))

    def test_the_example_configuration_has_known_keys(self):
        settings = setting_pattern()
        named = re.findall(r"^(?:# )?([a-z_]+): ", read("Deploy", "gatehouse.yaml"), re.MULTILINE)
        self.assertEqual([it for it in named if not settings.fullmatch(it)], [])
        self.assertIn("secrets_file", named)

    def test_the_proxy_knows_the_nodes_of_the_composition(self):
        nodes = re.findall(r"^  (node-\w+):", read("Deploy", "compose.yaml"), re.MULTILINE)
        self.assertEqual(re.findall(r"server (node-\w+):9999", read("Deploy", "nginx.conf")), nodes)
        self.assertGreater(len(nodes), 1)

    @unittest.skipUnless(shutil.which("nginx") and shutil.which("openssl"), "there is no nginx or openssl")
    def test_nginx_reads_the_configuration_of_one_server(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1",
                 "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"], check=True, capture_output=True)
            text = read("Deploy", "nginx-one-server.conf").replace("/etc/letsencrypt/live/accounts.example.com", name)
            self.assertEqual(text.count(name), 2)
            # Ports that are free to bind without being root, and files that it may write.
            text = re.sub(r"listen (\[::\]:)?(80|443)", r"listen \g<1>1\2", text).replace("/var/log/nginx", name)
            (folder / "nginx.conf").write_text(
                f"pid {name}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\n{text}\n}}\n", encoding="utf-8")
            run = subprocess.run(
                ["nginx", "-t", "-p", name, "-c", folder / "nginx.conf"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_every_proxy_overwrites_the_address_and_closes_first(self):
        for name, sets, closes in (
            ("nginx.conf", "proxy_set_header X-Forwarded-For $remote_addr;", "keepalive_timeout 30s;"),
            ("nginx-one-server.conf", "proxy_set_header X-Forwarded-For $remote_addr;", "keepalive_timeout 30s;"),
            ("Caddyfile", "header_up X-Forwarded-For {remote_host}", "keepalive 30s"),
        ):
            text = read("Deploy", name)
            self.assertEqual((text.count(sets), text.count(closes)), (1, 1), name)
            self.assertNotIn("$request_uri\"", text, name)

    def test_fly_names_existing_files_and_a_route(self):
        settings = tomllib.loads(read("Deploy", "fly.toml"))
        for path in settings["build"].values():
            self.assertTrue(os.path.exists(os.path.join(FOLDER, path)), path)
        self.assertIn(f"EXPOSE {settings['http_service']['internal_port']}\n", read("Deploy", "Dockerfile"))
        self.assertEqual([check["path"] for check in settings["http_service"]["checks"]], ["/ready"])
        self.assertEqual(settings["kill_signal"], "SIGTERM")
        self.assertGreater(int(settings["kill_timeout"].removesuffix("s")), 15)
        # The image's entry point is the program.
        self.assertIn('ENTRYPOINT ["gatehouse"]', read("Deploy", "Dockerfile"))
        commands = read("Sources", "Program", "GatehouseCLI", "Commands", "Serve.swift")
        self.assertIn("migrate", settings["deploy"]["release_command"])
        self.assertIn("serve --no-migrate", settings["processes"]["app"])
        self.assertIn('.customLong("no-migrate")', commands)

    def test_nodes_are_given_the_time_that_they_need_to_end(self):
        # `serve` finishes running requests within 15 s (ServiceGroup's limit in Serve.swift).
        serve = read("Sources", "Program", "GatehouseCLI", "Commands", "Serve.swift")
        self.assertIn("maximumGracefulShutdownDuration = .seconds(15)", serve)
        for name, pattern in (
            ("compose.yaml", r"stop_grace_period: (\d+)s"),
            ("gatehouse.service", r"TimeoutStopSec=(\d+)"),
            ("kubernetes.yaml", r"terminationGracePeriodSeconds: (\d+)"),
        ):
            self.assertGreater(int(re.search(pattern, read("Deploy", name)).group(1)), 15, name)


if __name__ == "__main__":
    unittest.main()
