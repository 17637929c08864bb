"""What a run leaves behind in memory and in keyrings is nobody else's."""

import pathlib

import e2e_support
from core import core
from guest import ADMIN, GuestTest, read

# Filled three quarters by one run; the next one needs as much.
CONFIG = "[children]\nmemory_mib = 128\n"
FILL = "dd if=/dev/zero of=/dev/shm/left bs=1M count=96 2>/dev/null && echo n 1000"
TAKE = "/usr/bin/python3 -c 'x = bytearray(96 << 20); print(\"n 1000\")'"

# keyctl(2): KEY_SPEC_SESSION_KEYRING is -3, KEYCTL_SEARCH 10, add_key(2) 248, keyctl(2) 250.
KEYS = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
if sys.argv[1] == "leave":
    assert libc.syscall(248, b"user", b"left", b"secret", 6, -3) > 0
else:
    found = libc.syscall(250, 10, -3, b"user", b"left", 0)
    print(found, file=open(sys.argv[2], "w"))
print("n 1000")
"""


class LeftoversTest(GuestTest):
    configuration = CONFIG

    @core("core-b")
    def test_files_in_memory_are_not_charged_to_the_next_run(self):
        left = pathlib.Path("/dev/shm/left")
        self.addCleanup(left.unlink)
        filling = self.script(FILL, name="fill")
        self.assert_exit(self.compare(command=filling), e2e_support.PASS)
        self.assertEqual(left.stat().st_size, 96 << 20)
        self.assert_exit(self.compare(command=TAKE, who=ADMIN), e2e_support.PASS)

    @core("core-b")
    def test_keys_of_one_session_are_not_in_the_next(self):
        program = self.folder / "keys.py"
        program.write_text(KEYS)
        out = self.folder / "found"
        out.touch()
        out.chmod(0o666)
        python = f"/usr/bin/python3 {program}"
        self.assert_exit(self.compare(command=f"{python} leave"), e2e_support.PASS)
        self.assert_exit(self.compare(command=f"{python} look {out}", who=ADMIN), e2e_support.PASS)
        self.assertEqual(read(out), "-1")
