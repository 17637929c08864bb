#!/usr/bin/env python3
"""extract_vmlinux.py BZIMAGE ELF: extracts the compressed kernel from a bzImage.

Documentation/x86/boot.rst defines its position by the fields setup_sects (0x1f1), payload_offset
(0x248) and payload_length (0x24c). The length is repeated after the compressed data (4 bytes);
a decompressor must stop before it, because it would treat it as damage.
"""

import gzip
import lzma
import pathlib
import struct
import subprocess
import sys


def by_program(*command):
    def decompress(data):
        # Exit codes are ignored, because lz4 complains about the length that follows the data.
        # The result is checked below.
        return subprocess.run(command, input=data, capture_output=True, check=False).stdout

    return decompress


# The first bytes of each format that Linux uses on x86.
FORMATS = {
    b"\x02\x21\x4c\x18": by_program("lz4", "-dc"),
    b"\x28\xb5\x2f\xfd": by_program("zstd", "-dcq"),
    b"\xfd7zX": lambda data: lzma.LZMADecompressor().decompress(data),
    b"\x1f\x8b\x08\x00": lambda data: gzip.decompress(data[:-4]),
}


def payload(image):
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    begin = (setup_sectors + 1) * 512 + offset
    return image[begin : begin + length]


def main(source, target):
    data = payload(pathlib.Path(source).read_bytes())
    decompress = FORMATS.get(data[:4])
    if decompress is None:
        sys.exit(f"error: {source}: unknown compression; the data begins with {data[:4].hex()}")
    kernel = decompress(data)
    if not kernel.startswith(b"\x7fELF"):
        sys.exit(f"error: {source}: the decompressed data is not an ELF file")
    pathlib.Path(target).write_bytes(kernel)


if __name__ == "__main__":
    main(*sys.argv[1:])
