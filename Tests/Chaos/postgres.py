"""A PostgreSQL of our own: started for one scenario, killed and started again in the middle of it."""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

BINARIES = next((path for path in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[::-1]), pathlib.Path("/usr/bin"))


class Postgres:
    """One cluster; each journal is a database of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "postgres"
        self.folder.mkdir()
        self.data = self.folder / "data"
        self.user = None
        if os.getuid() == 0:
            # PostgreSQL does not run as root.
            self.user = "postgres"
            os.chmod(folder, 0o755)
            shutil.chown(self.folder, self.user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.count = 0
        self.run("initdb", "-D", self.data, "-U", "checkout", "--auth=trust", "-E", "UTF8", "--no-sync")
        self.start()

    def run(self, program, *arguments):
        options = {}
        if self.user:
            user = pwd.getpwnam(self.user)
            options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        subprocess.run(
            [BINARIES / program, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=self.folder, **options)

    def start(self):
        settings = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c max_connections=50"
        self.run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.folder / "log", "-o", settings)

    def fresh(self, program):
        """A new journal; what `--journal` is given."""
        self.count += 1
        name = f"journal_{self.count}"
        self.run("createdb", "-h", self.folder, "-p", str(self.port), "-U", "checkout", name)
        address = f"postgres://checkout@127.0.0.1:{self.port}/{name}"
        subprocess.run([program, "migrate", "--journal", address], check=True, stdout=subprocess.DEVNULL)
        return address

    def kill(self):
        """All its processes at once, as a power cut would."""
        try:
            main = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        except FileNotFoundError:
            return
        children = [int(pid) for pid in subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(main)], stdout=subprocess.PIPE, text=True).stdout.split()]
        for pid in [main] + children:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        deadline = time.monotonic() + 10
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in [main] + children) and time.monotonic() < deadline:
            time.sleep(0.05)

    def close(self):
        self.kill()
