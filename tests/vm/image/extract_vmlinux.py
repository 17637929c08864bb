#!/usr/bin/env python3
"""extract_vmlinux.py VMLINUZ KERNEL: extracts the kernel that QEMU starts from Debian's file.

x86-64: a bzImage. Documentation/arch/x86/boot.rst defines the position of the compressed ELF file
by the fields setup_sects (0x1f1), payload_offset (0x248) and payload_length (0x24c). The length is
repeated after the compressed data (4 bytes); a decompressor must stop before it, because it would
treat it as damage.

arm64: an uncompressed Image (Documentation/arch/arm64/booting.rst) in all releases so far, or one
inside an EFI program that decompresses it (drivers/firmware/efi/libstub/zboot-header.S), which
QEMU 7.2 cannot start.
"""

import lzma
import pathlib
import struct
import subprocess
import sys
import zlib


def by_program(*command):
    def decompress(data):
        # Exit codes are ignored, because lz4 complains about the length that follows the data.
        # The result is checked below.
        return subprocess.run(command, input=data, capture_output=True, check=False).stdout

    return decompress


# The first bytes of each format that Linux uses.
FORMATS = {
    b"\x02\x21\x4c\x18": by_program("lz4", "-dc"),
    b"\x28\xb5\x2f\xfd": by_program("zstd", "-dcq"),
    b"\xfd7zX": lambda data: lzma.LZMADecompressor().decompress(data),
    b"\x1f\x8b\x08\x00": lambda data: zlib.decompressobj(wbits=31).decompress(data),
}


def is_kernel(data):
    return data.startswith(b"\x7fELF") or data[56:60] == b"ARMd"


def payload(image):
    if image[4:8] == b"zimg":
        begin, length = struct.unpack_from("<II", image, 8)
    else:
        setup_sectors = image[0x1F1] or 4
        offset, length = struct.unpack_from("<II", image, 0x248)
        begin = (setup_sectors + 1) * 512 + offset
    return image[begin : begin + length]


def kernel_in(image):
    """The kernel as bytes; ValueError if there is none."""
    if is_kernel(image):
        return image
    data = payload(image)
    decompress = FORMATS.get(data[:4])
    if decompress is None:
        raise ValueError(f"unknown compression; the data begins with {data[:4].hex()}")
    kernel = decompress(data)
    if not is_kernel(kernel):
        raise ValueError("the decompressed data is neither an ELF file nor an arm64 Image")
    return kernel


def main(source, target):
    try:
        pathlib.Path(target).write_bytes(kernel_in(pathlib.Path(source).read_bytes()))
    except ValueError as error:
        sys.exit(f"error: {source}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
