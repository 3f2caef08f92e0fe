# SPDX-License-Identifier: Apache-2.0
"""Packages of any release of Debian, unpacked into a folder: nothing is installed, and the system's own lists of packages stay as they are."""
import subprocess


def unpack(folder, suite, packages):
    """The root of what is in the packages. If they are there already, without a network. subprocess.SubprocessError: they cannot be had."""
    root = folder / "root"
    if not root.exists():
        for name in ("lists/partial", "cache/archives/partial", "unpacked"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "sources.list").write_text(f"deb http://deb.debian.org/debian {suite} main\n")
        options = {"Dir::Etc::sourcelist": "sources.list", "Dir::Etc::sourceparts": "none", "Dir::State::lists": "lists", "Dir::Cache": "cache",
                   "Dir::State::status": "status"}
        apt = ["apt-get", "-q", "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root"]
        apt += [word for name, path in options.items() for word in ("-o", f"{name}={folder / path}")]
        subprocess.run([*apt, "update"], check=True, stdout=subprocess.DEVNULL, timeout=600)
        subprocess.run([*apt, "download", *packages], check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=600)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, folder / "unpacked"], check=True)
        (folder / "unpacked").rename(root)
    return root
