#!/usr/bin/env bash
# Makes .venv with benchlake in it: `setup.sh run` to run it, `setup.sh dev` with the tools for tests and lint too.
# Works with pip alone, and with uv where that is installed. The Debian packages of apt-packages.txt are installed
# when root or sudo allows; otherwise they are named, together with what goes without them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=${1:-}

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
    say "$@"
    exit 2
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local candidate candidates=(python3 python3.14 python3.13 python3.12 python3.11)
    [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
    for candidate in "${candidates[@]}"; do
        if is_new_enough "$candidate"; then
            printf '%s' "$candidate"
            return
        fi
    done
    die "no Python 3.11 or newer found as ${candidates[*]}: install one, or name it as in make PYTHON=/path/to/python3.12 test"
}

has() { command -v "$1" >/dev/null; }

# Debian's python3 comes without ensurepip; its package python3-venv brings it.
has_ensurepip() { "$python" -c 'import ensurepip; ensurepip.version()' >/dev/null 2>&1; }

is_present() {
    case $1 in
        python3-venv) has_ensurepip || has uv || has virtualenv ;;
        *) [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    esac
}

# Prints the lines of apt-packages.txt whose package is missing.
missing_packages() {
    local line package
    while read -r line; do
        package=${line%%[ #]*}
        [ -z "$package" ] || is_present "$package" || printf '%s\n' "$line"
    done <apt-packages.txt
}

install_packages() {
    local as_root=(env)
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return
        as_root=(sudo -n env)
    fi
    local apt=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
    say "installing Debian packages: $*"
    "${apt[@]}" update </dev/null >/dev/null && "${apt[@]}" install --yes --no-install-recommends "$@" </dev/null >/dev/null
}

set_up_packages() {
    local missing
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    if has apt-get; then
        # Package names hold no spaces.
        # shellcheck disable=SC2046
        install_packages $(sed 's/[ #].*//' <<<"$missing") || true
        missing=$(missing_packages)
        [ -n "$missing" ] || return 0
    fi
    say "these Debian packages are not installed (that takes root, or sudo without a password):"
    sed 's/^/setup:   /' <<<"$missing" >&2
}

announce() { say "installing benchlake into .venv: minutes the first time, then only when pyproject.toml changes"; }

install_with_uv() {
    announce
    if ! is_new_enough .venv/bin/python; then
        uv venv --quiet --clear --python "$python" .venv || return
    fi
    uv pip install --quiet --python .venv/bin/python "${what[@]}"
}

make_venv() {
    # A half-made environment, or one whose Python has gone, is made anew.
    if is_new_enough .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; then
        return
    fi
    rm -rf .venv
    if has_ensurepip; then
        "$python" -m venv .venv
    elif has virtualenv; then
        virtualenv --quiet --python "$python" .venv
    else
        die "$python cannot make a virtual environment: run apt-get install python3-venv as root, then make again"
    fi
}

install_with_pip() {
    make_venv
    announce
    # -qq: errors only. Groups need pip 25.1, and a new environment brings Python's own, older one.
    local pip=(.venv/bin/python -m pip install -qq)
    "${pip[@]}" --upgrade 'pip>=25.1'
    "${pip[@]}" "${what[@]}"
}

case $mode in
    run) what=(--editable .) ;;
    dev) what=(--editable . --group dev) ;;
    *) die "say what for: setup.sh run, or setup.sh dev" ;;
esac
python=$(find_python)
set_up_packages
if ! { has uv && install_with_uv; }; then
    ! has uv || say "uv could not install it, so pip does"
    install_with_pip
fi
touch .venv/.stamp
[ "$mode" = run ] || touch .venv/.stamp-dev
say "done in ${SECONDS} s"
