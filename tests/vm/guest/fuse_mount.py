"""A FUSE file system that stops answering, like a network file system without its server.

include/uapi/linux/fuse.h is the protocol. The file system is one empty folder. A process that
changes into it sends FUSE_ACCESS (fs/fuse/dir.c, fuse_permission). While the mount hangs, the
request is read but not answered. The process then cannot even be killed, because the kernel waits
for the answer to a request that the server has read (fs/fuse/dev.c, request_wait_answer).
"""

import ctypes
import os
import pathlib
import queue
import stat
import struct
import threading

from installation import run

INIT, GETATTR, FORGET, ACCESS, INTERRUPT, BATCH_FORGET = 26, 3, 2, 34, 36, 42
UNANSWERED = (FORGET, BATCH_FORGET, INTERRUPT)
ENOSYS = 38
# fuse_in_header: length, opcode, unique, node, uid, gid, pid, padding.
REQUEST = struct.Struct("=IIQQIIII")
REPLY = struct.Struct("=IiQ")
# fuse_init_out of minor 31, and the largest write, which never happens.
INIT_REPLY = struct.pack("=IIIIHHI40x", 7, 31, 0, 0, 0, 0, 4096)
# fuse_attr_out: valid for no time; inode 1, a folder that every user may write.
ATTRIBUTES = struct.pack("=QII6Q3I7I", 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
                         stat.S_IFDIR | 0o777, 2, 0, 0, 0, 4096, 0)
MORE_THAN_A_REQUEST = 64 << 10


def is_client(pid):
    """benchctl accesses the folder, too, and must not be the process that hangs."""
    return pathlib.Path(f"/proc/{pid}/comm").read_text() == "benchctl\n"


class FuseMount:
    """Mounted at `folder` until close(); answers others until hang(), and benchctl always.

    systemd has already loaded the driver (sys-fs-fuse-connections.mount).
    """

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self._hangs = threading.Event()
        self._waiting = queue.Queue()
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self._device},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"test", os.fsencode(folder), b"fuse", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), f"mount {folder}")
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def hang(self):
        self._hangs.set()

    def await_victim(self, timeout):
        """The process that waits for an answer; answer() releases it."""
        self._unique, pid = self._waiting.get(timeout=timeout)
        return pid

    def answer(self):
        self._reply(self._unique)

    def close(self):
        """May be called twice. The forced unmount returns an error to waiting processes."""
        if self._device < 0:
            return
        run("umount", "--force", "--lazy", self.folder)
        self._thread.join()
        os.close(self._device)
        self._device = -1

    def _serve(self):
        while True:
            try:
                request = os.read(self._device, MORE_THAN_A_REQUEST)
            except OSError:  # ENODEV: unmounted
                return
            _, opcode, unique, _, _, _, pid, _ = REQUEST.unpack_from(request)
            if opcode in UNANSWERED:
                continue
            if opcode == ACCESS and self._hangs.is_set() and not is_client(pid):
                self._waiting.put((unique, pid))
            elif opcode == INIT:
                self._reply(unique, INIT_REPLY)
            elif opcode == GETATTR:
                self._reply(unique, ATTRIBUTES)
            elif opcode == ACCESS:
                self._reply(unique)
            else:
                self._reply(unique, error=ENOSYS)

    def _reply(self, unique, data=b"", error=0):
        os.write(self._device, REPLY.pack(REPLY.size + len(data), -error, unique) + data)
