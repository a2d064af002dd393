#!/usr/bin/env bash
# Prepares this machine to build Gatehouse: checks for Swift, and installs and names the missing system libraries.
# Prints nothing if all are present. Changes no settings and no shell profile.
#
#   Scripts/prepare.sh           to build and run
#   Scripts/prepare.sh check     and to check: Python 3
#   Scripts/prepare.sh test      and to test: Python 3 with venv, PostgreSQL; Chromium, unless GATEHOUSE_BROWSER names
#                                another browser, or none
#   Scripts/prepare.sh screens   and to photograph the screens: Python 3 with venv, Chromium, fonts for the texts
#   Scripts/prepare.sh bench     and to measure: Python 3 with venv, wrk
#   Scripts/prepare.sh cost      and to count instructions: valgrind
#   Scripts/prepare.sh dist      and to build packages: Debian's tools, lintian
#   Scripts/prepare.sh package   and to install them in a root of their own: debootstrap
set -euo pipefail

readonly SWIFT_WANTED=6.2.3
missing=()

say() { printf 'prepare: %s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

# version MAJOR.MINOR[.PATCH]: a number that grows with it.
version() {
    local major minor patch
    IFS=. read -r major minor patch <<<"$1"
    echo $((major * 1000000 + minor * 1000 + ${patch:-0}))
}

check_swift() {
    if ! has swiftc; then
        say "Swift $SWIFT_WANTED or later is needed and none was found; https://www.swift.org/install has it."
        exit 1
    fi
    local found
    # Ten times as fast as `swift --version`.
    found=$(swiftc -print-target-info 2>/dev/null |
        sed -nE 's/.*Swift version ([0-9]+\.[0-9]+(\.[0-9]+)?).*/\1/p' | head -n 1) || found=
    if [ -z "$found" ] || (($(version "$found") < $(version "$SWIFT_WANTED"))); then
        say "Swift $SWIFT_WANTED or later is needed; $(command -v swiftc) is ${found:-of an unknown version}." \
            "https://www.swift.org/install has a newer one."
        exit 1
    fi
}

# want PACKAGE COMMAND...: the package is missing when the command fails.
want() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

# Debian and Homebrew install the server's programs by version.
postgres_server() {
    has initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' || compgen -G "${1:-/nowhere}/opt/postgresql@*/bin/initdb"
}

font() { [ -n "$(fc-list "$1")" ]; }

python_with_venv() { [ -x .venv/bin/python3 ] || python3 -c 'import ensurepip, venv'; }

# Any that Tests/External/chromium.py finds.
browser() {
    [ -n "${GATEHOUSE_BROWSER:-}" ] || has chromium-headless-shell || has chromium || has chromium-browser ||
        has google-chrome
}
browser_app() {
    [ -n "${GATEHOUSE_BROWSER:-}" ] || [ -d "/Applications/Google Chrome.app" ] || [ -d /Applications/Chromium.app ]
}

install_with_apt() {
    local prefix=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! has sudo; then
            say "not root and no sudo; as root, run: apt-get install ${missing[*]}"
            exit 1
        fi
        prefix=(sudo)
    fi
    say "installing with apt-get: ${missing[*]}"
    "${prefix[@]}" apt-get update -qq
    "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

want_chromium() {
    if grep -qx 'ID=ubuntu' /etc/os-release 2>/dev/null; then
        say "Ubuntu has Chromium as a snap alone. Install that, or Google Chrome, or name a browser with" \
            "GATEHOUSE_BROWSER; GATEHOUSE_BROWSER=none leaves out the tests that need one."
        exit 1
    fi
    missing+=(chromium)
}

prepare_linux() {
    want pkg-config has pkg-config
    want libsqlite3-dev pkg-config --exists sqlite3
    want libpq-dev pkg-config --exists libpq
    want libargon2-dev pkg-config --exists libargon2
    want libqrencode-dev pkg-config --exists libqrencode
    want libcrypt-dev pkg-config --exists libxcrypt
    want libyaml-dev pkg-config --exists yaml-0.1
    want libcurl4-openssl-dev pkg-config --exists libcurl
    for purpose in "$@"; do
        case $purpose in
            check) want python3 has python3 ;;
            test)
                want python3 has python3
                want python3-venv python_with_venv
                browser || want_chromium
                want postgresql postgres_server
                ;;
            screens)
                want python3 has python3
                want python3-venv python_with_venv
                browser || want_chromium
                want fonts-inter font Inter
                want fonts-noto-core font 'Noto Sans Arabic'
                ;;
            bench)
                want python3 has python3
                want python3-venv python_with_venv
                want wrk has wrk
                ;;
            cost) want python3 has python3 && want valgrind has valgrind ;;
            dist | package)
                want python3 has python3
                want dpkg-dev has dpkg-shlibdeps
                want lintian has lintian
                [ "$purpose" = dist ] || want debootstrap has debootstrap
                ;;
        esac
    done
    ((${#missing[@]} == 0)) && return
    if ! has apt-get; then
        say "this system has no apt-get; install by its own means what Debian calls: ${missing[*]}"
        exit 1
    fi
    install_with_apt
}

prepare_macos() {
    local prefix=${HOMEBREW_PREFIX:-/opt/homebrew}
    [ -d "$prefix/opt" ] || prefix=/usr/local
    # SwiftPM looks into each formula's own folder, so these need not be linked.
    for formula in pkgconf sqlite libpq argon2 qrencode libxcrypt libyaml; do
        want "$formula" test -d "$prefix/opt/$formula"
    done
    for purpose in "$@"; do
        case $purpose in
            check) want python has python3 ;;
            test)
                want python python_with_venv
                want google-chrome browser_app
                want postgresql@17 postgres_server "$prefix"
                ;;
            screens)
                say "on a Mac the screens are Apple's own; pictures of them are taken on Linux"
                exit 1
                ;;
            bench)
                want python python_with_venv
                want wrk has wrk
                ;;
            cost | dist | package)
                say "instructions are counted, and packages built, on Linux"
                exit 1
                ;;
        esac
    done
    ((${#missing[@]} == 0)) && return
    if ! has brew; then
        say "Homebrew (https://brew.sh) is needed to install: ${missing[*]}"
        exit 1
    fi
    say "installing with Homebrew: ${missing[*]}"
    brew install --quiet "${missing[@]}"
}

for purpose in "$@"; do
    case $purpose in
        check | test | screens | bench | cost | dist | package) ;;
        *) say "unknown argument: $purpose (known: check, test, screens, bench, cost, dist, package)"; exit 2 ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
check_swift
case $(uname -s) in
    Linux) prepare_linux "$@" ;;
    Darwin) prepare_macos "$@" ;;
    *) say "only Linux and macOS are supported"; exit 1 ;;
esac
