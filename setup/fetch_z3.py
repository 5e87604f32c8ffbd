#!/usr/bin/env python3
"""Fetch the Z3 shared library once, into .plumb/z3/lib of this repository.

The library comes out of the z3-solver wheel that requirements-z3.txt pins by version and hash; nothing is installed.
.cargo/config.toml points the build at the folder, the crates' build scripts point their programs at it.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "setup" / "requirements-z3.txt"
DESTINATION = ROOT / ".plumb" / "z3"


def pinned() -> str:
    """The requirement's text: the stamp by which a later run knows that nothing is to be done."""
    return REQUIREMENTS.read_text()


def is_current() -> bool:
    stamp = DESTINATION / "stamp"
    return stamp.is_file() and stamp.read_text() == pinned()


def fetch() -> None:
    ROOT.joinpath(".plumb").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / ".plumb") as scratch:
        scratch = pathlib.Path(scratch)
        download = [
            sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--only-binary=:all:", "--require-hashes", "-r", str(REQUIREMENTS), "-d", str(scratch),
        ]
        if subprocess.run(download).returncode != 0:
            sys.exit(
                "setup: could not fetch the z3-solver wheel.\n"
                "Needed: Python 3 with pip 20.3 or newer (Debian: apt-get install python3-pip), and a package index\n"
                "that it reaches. Without one, place a Z3 5.x shared library in .plumb/z3/lib yourself, then build with\n"
                "cargo directly."
            )
        (wheel,) = scratch.glob("*.whl")
        staged = scratch / "z3"
        (staged / "lib").mkdir(parents=True)
        with zipfile.ZipFile(wheel) as archive:
            libraries = [name for name in archive.namelist() if name.startswith("z3/lib/") and not name.endswith("/")]
            if not libraries:
                sys.exit(f"setup: {wheel.name} holds no z3/lib")
            for name in libraries:
                with archive.open(name) as source, open(staged / "lib" / pathlib.Path(name).name, "wb") as target:
                    shutil.copyfileobj(source, target)
        (staged / "stamp").write_text(pinned())
        if DESTINATION.exists():
            shutil.rmtree(DESTINATION)
        staged.rename(DESTINATION)


if __name__ == "__main__":
    if not is_current():
        print("setup: fetching the Z3 library into .plumb/z3 (once)", file=sys.stderr)
        fetch()
