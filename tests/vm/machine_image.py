"""The disk, kernel and emulator of the test machine: built once (image/build.sh) and kept."""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

IMAGE_SOURCE = pathlib.Path(__file__).resolve().parent / "image"
# The exit code if this machine cannot run the tests.
SKIPPED = 77
# Images that no checkout has used for this time are deleted.
KEEP_IMAGES_S = 30 * 24 * 3600


class Skip(Exception):
    """This machine cannot run the tests; the text is the reason."""


def say(text):
    print(f"    {text}", file=sys.stderr, flush=True)


def image_hash(release, architecture):
    digest = hashlib.sha256(f"{release} {architecture}\n".encode())
    for path in sorted(IMAGE_SOURCE.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            digest.update(f"{path.relative_to(IMAGE_SOURCE)} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()[:16]


def cache_folder():
    """The folder of the images: in the user's cache, or in /tmp if there is no writable home."""
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    for folder in (pathlib.Path(home) / "benchd-vm", pathlib.Path(f"/tmp/benchd-vm-{os.getuid()}")):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        # Any user can write to /tmp, so start programs only from a folder of our own.
        if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
            return folder
    raise Skip("no folder for the test machine: neither ~/.cache nor /tmp is writable")


def why_not_buildable():
    for program in ("apt-get", "dpkg", "mke2fs"):
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            return f"'{program}' is missing: the test machine is built from Debian packages"
    if os.getuid() != 0 and not shutil.which("sudo"):
        return "building the test machine needs root, or sudo"
    return None


def remove_old_images(cache, keep):
    for folder in cache.iterdir():
        if folder.is_dir() and folder.name != keep:
            if time.time() - folder.stat().st_mtime > KEEP_IMAGES_S:
                shutil.rmtree(folder, ignore_errors=True)


def build_image(image, release, architecture):
    if why := why_not_buildable():
        raise Skip(why)
    say(f"building the test machine of {release} for {architecture} in {image}")
    # Renamed at the end, so that a folder with this name is complete.
    partial = image.with_name(image.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [str(IMAGE_SOURCE / "build.sh"), str(partial), release, architecture]
    if os.getuid() != 0:
        command.insert(0, "sudo")
    status = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
    if status == SKIPPED:
        raise Skip("the packages of the test machine are not available (see above)")
    if status != 0:
        sys.exit("error: the test machine could not be built")
    partial.rename(image)


def ready_image(release, architecture):
    cache = cache_folder()
    image = cache / image_hash(release, architecture)
    with open(cache / "lock", "w", encoding="ascii") as lock:
        # If two test runs start at once, the second waits for the image of the first.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not image.exists():
            build_image(image, release, architecture)
            remove_old_images(cache, keep=image.name)
        if os.access(image, os.W_OK):
            os.utime(image)
    return image
