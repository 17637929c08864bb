#!/usr/bin/env bash
# ci/platform.sh NAME [STEP...]: builds, tests and packages this checkout on another platform.
# `./dev test --platform` and `./dev package --release` call it.
#
# A platform is a Debian release in a folder, created once by mmdebstrap, with a list of steps. It
# runs below chroot in its own mount and process namespaces, so its mounts and processes end with
# its first process. Requires root.
#
# BENCHD_PLATFORM_ROOTS  the folder of the platforms; default: /var/tmp/benchd-platforms. Only root
#                        may be able to write there, because root executes what is in it.
# Exit code 77: the folder could not be made, perhaps without a network.
# shellcheck disable=SC2016 # commands for the other system are expanded there
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
# shellcheck source=ci/packages.sh
source ci/packages.sh
# shellcheck source=ci/commit_time.sh
source ci/commit_time.sh
# shellcheck source=ci/foreign_programs.sh
source ci/foreign_programs.sh

platforms=("${releases[@]}" arm64 bookworm-arm64 clang plain plain-trixie plain-forky)

say() { printf '==> %s\n' "$*" >&2; }
die() {
  printf 'error: %s\n' "$1" >&2
  if [ $# -gt 1 ]; then printf 'hint: %s\n' "$2" >&2; fi
  exit 2
}

# ---- the platforms ----

# The kind of a platform, its release, its packages, and its steps in order.
describe() {
  kind=$1
  packages=("${build_packages[@]}" "${test_packages[@]}")
  folder=
  architectures=amd64
  case $1 in
    bookworm | trixie | forky)
      kind=release
      release=$1
      known_steps=(programs unit demo test boot package)
      usual_steps=(demo test boot)
      ;;
    arm64)
      # A cross compiler, whose programs run under qemu-user.
      release=trixie
      folder=trixie-arm64
      architectures=amd64,arm64
      packages=("${cross_packages[@]}" "${target_packages[@]/%/:arm64}")
      known_steps=(compile unit package boot)
      usual_steps=(compile unit)
      ;;
    bookworm-arm64)
      # For packages that can be installed on later releases, too, and for the archive: trixie's
      # libdw.a cannot be linked, because it lacks a function.
      describe arm64
      release=bookworm
      folder=bookworm-arm64
      known_steps=(compile unit package archive)
      usual_steps=(package archive)
      ;;
    clang)
      release=trixie
      packages+=(clang-19)
      known_steps=(compile unit)
      usual_steps=(compile unit)
      ;;
    plain | plain-trixie | plain-forky)
      kind=plain
      release=bookworm
      [ "$1" = plain ] || release=${1#plain-}
      known_steps=(compile test)
      usual_steps=(compile test)
      ;;
    *) die "platform '$1': not a platform" "one of: ${platforms[*]}" ;;
  esac
}

# Unlike `./dev test --package`, it compiles only what is packaged.
package_command='./dev package && ctest --preset package -L "^(install|package)\$" -j "$(nproc)"'

# boot_command [OPTION]: builds and installs what boot_machine needs.
boot_command() {
  local folder=build/$kind
  echo "cmake --preset release -B $folder $*" \
    "&& cmake --build $folder -j \"\$(nproc)\" --target programs e2e_programs" \
    "&& rm -rf $folder-tree && DESTDIR=\$PWD/$folder-tree cmake --install $folder --strip"
}

# command_of STEP: its command, for bash in the copy of the checkout.
command_of() {
  case $kind:$1 in
    release:programs)
      echo 'cmake --preset release && cmake --build --preset release -j "$(nproc)" --target programs -- -k 0'
      ;;
    # Without a sanitizer, unlike the unit tests of `./dev test`.
    release:unit)
      echo 'cmake --preset release && cmake --build --preset release -j "$(nproc)" --target unit_tests' \
        'programs -- -k 0 && ctest --test-dir build/release -L "^unit\$" -j "$(nproc)" --output-on-failure'
      ;;
    release:demo) echo './dev demo' ;;
    release:test) echo './dev test --layering --install --unit --e2e' ;;
    release:boot) boot_command ;;
    release:package) echo "$package_command" ;;
    arm64:compile)
      echo 'cmake --preset release -B build/arm64 -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake' \
        '&& cmake --build build/arm64 -j "$(nproc)" --target unit_tests programs -- -k 0'
      ;;
    # Tests that start programs of their own fail here: the kernel does not know their format.
    arm64:unit)
      echo 'ctest --test-dir build/arm64 -L "^unit\$" -j "$(nproc)" --output-on-failure'
      ;;
    arm64:package) echo "export CMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake; $package_command" ;;
    arm64:archive)
      echo "export CMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake SOURCE_DATE_EPOCH=$time;" \
        './dev package --archive'
      ;;
    arm64:boot) boot_command -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake ;;
    clang:compile)
      # Clang detects other errors than GCC; its warnings are errors here, too.
      echo 'cmake -B build/clang -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19' \
        '-DCMAKE_BUILD_TYPE=Debug -DCMAKE_COMPILE_WARNING_AS_ERROR=ON' \
        '&& cmake --build build/clang -j "$(nproc)" --target unit_tests programs e2e_programs -- -k 0'
      ;;
    clang:unit) echo 'ctest --test-dir build/clang -L "^unit\$" -j "$(nproc)" --output-on-failure' ;;
    # Exactly the commands that a CMake user would type without reading our documentation.
    plain:compile) echo 'cmake -B build && cmake --build build -j "$(nproc)"' ;;
    plain:test) echo 'ctest --test-dir build -j "$(nproc)" --output-on-failure' ;;
    *) die "platform $name: '$1' is not one of its steps" "one of: ${known_steps[*]}" ;;
  esac
}

# ---- the folder of a release ----

# Every user may write to /var/tmp, and root executes what is in these folders.
check_owner() {
  local folder=$1 owner mode
  # A link of root's own may lead to another disk.
  if [ "$(stat -c %u "$folder")" -ne 0 ] || [ "$(stat -L -c %u "$folder")" -ne 0 ]; then
    owner=$(stat -L -c %U "$folder")
    [ ! -L "$folder" ] || owner=$(stat -c %U "$folder")
    die "platform: $folder belongs to $owner instead of root" \
      "remove it, or name another folder by BENCHD_PLATFORM_ROOTS"
  fi
  mode=$(stat -L -c %a "$folder")
  if (((8#$mode & 8#022) != 0)); then
    die "platform: $folder can be written by other users than root (mode $mode)" \
      "remove it, because what is in it may not be root's, or name another folder by BENCHD_PLATFORM_ROOTS"
  fi
}

# Has the folder all files of its packages? Some systems remove files below /var/tmp by their age.
is_complete() {
  chroot "$1" bash -c 'set -o pipefail
    cat /var/lib/dpkg/info/*.list | xargs -d "\n" ls -d' >/dev/null 2>&1
}

# Created under another name and then renamed, so that what is interrupted leaves no folder.
make_root() {
  local release=$1 root=$2 options=() list
  # A mirror may be older than the validity of its index permits.
  if [ "$release" = forky ]; then options+=(--aptopt='Acquire::Check-Valid-Until "false"'); fi
  list=$(packages_in "$release" "${packages[@]}" | paste -sd,)
  say "making Debian $release in $root"
  rm -rf "$root.new"
  if ! mmdebstrap --quiet --variant=minbase --architectures="$architectures" \
    --include="ca-certificates,$list" "${options[@]}" \
    "$release" "$root.new" >&2; then
    rm -rf "$root.new"
    say "$name: SKIPPED: mmdebstrap could not make Debian $release (see above)"
    exit 77
  fi
  rm -rf --one-file-system "$root"
  mv "$root.new" "$root"
}

# Another platform of the same release may need more packages.
add_packages() {
  local release=$1 root=$2 package missing=()
  for package in $(packages_in "$release" "${packages[@]}"); do
    if [ "$(chroot "$root" dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  say "installing in $root: ${missing[*]}"
  inside "$root" 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends '"${missing[*]}" >&2 || {
    say "$name: SKIPPED: $root lacks packages that could not be installed (see above)"
    exit 77
  }
}

# Copies the files of the checkout except ignored ones; keeps earlier build results.
copy_checkout() {
  local place=$1/src/benchd
  mkdir -p "$place"
  find "$place" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  # A file that was deleted in the checkout is still in the index.
  # Git refuses to read another user's checkout without this.
  git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard --deduplicate |
    while IFS= read -r -d '' file; do if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi; done |
    tar --create --null --files-from=- | tar --extract --directory "$place" --no-same-owner --touch
}

# inside ROOT COMMAND: runs it by bash in the copy of the checkout.
inside() {
  local root=$1 command=$2 as=()
  if [ "$architectures" != amd64 ]; then as=(with_arm64_programs "$root/usr/bin/qemu-aarch64"); fi
  # A link in the folder would lead to a file of this machine.
  rm -f "$root/etc/resolv.conf"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  # As after the first boot.
  [ -s "$root/etc/machine-id" ] || tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
  mkdir -p "$ccache" "$root/var/cache/ccache" "$root/src/benchd"
  # proc belongs to the new process namespace, so it must be mounted from within. All processes end
  # with this script.
  "${as[@]}" setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child bash -euc '
    root=$1 ccache=$2 command=$3 name=$4
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount --bind "$ccache" "$root/var/cache/ccache"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 \
      CCACHE_DIR=/var/cache/ccache BENCHD_PLATFORM="$name" bash -euc "cd /src/benchd; $command"
  ' bash "$root" "$ccache" "$command" "$name" </dev/null
}

# copy_packages ROOT FOLDER: replaces the packages in FOLDER by those that were made in ROOT. They
# belong to the owner of the checkout, like all that is built without root.
copy_packages() {
  local root=$1 folder=$2
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$root"/src/benchd/build/package/*.deb "$folder/"
  chown --reference=. build build/package
  chown --recursive --reference=. "$folder"
  say "packages: $folder/"
  ls -l "$folder"
  say "install them on Debian $release$([ "$architectures" = amd64 ] || echo ' for arm64') with:" \
    "sudo apt install ./bench{d,ctl}_*.deb"
}

# The same for the archive, beside those for other processors, whose names differ.
copy_archive() {
  local root=$1 file
  mkdir -p build/archive
  # Those of earlier versions.
  rm -f build/archive/benchd-*-linux-aarch64.tar.zst{,.sha256}
  for file in "$root"/src/benchd/build/archive/benchd-*-linux-aarch64.tar.zst{,.sha256}; do
    cp "$file" build/archive/
    chown --reference=. "build/archive/${file##*/}"
    say "archive: build/archive/${file##*/}"
  done
  chown --reference=. build build/archive
}

# boot_machine ROOT: the tests in an emulated machine of the release, with the programs that were
# built in ROOT.
boot_machine() {
  local build=$1/src/benchd/build/$kind architecture=amd64
  [ "$kind" = release ] || architecture=$kind
  python3 tests/vm/vm.py --architecture "$architecture" --release "$release" --build "$build" \
    --tree "$build-tree" --limit 3600
}

# ---- main ----

[ $# -gt 0 ] || die "platform: missing name" "one of: ${platforms[*]}"
name=$1
shift
describe "$name"
steps=("$@")
if [ ${#steps[@]} -eq 0 ]; then steps=("${usual_steps[@]}"); fi
# The time of the archive's files. The copy of the checkout has no commits.
time=
for step in "${steps[@]}"; do
  command_of "$step" >/dev/null
  [ "$step" != archive ] || time=$(commit_time platform 'set SOURCE_DATE_EPOCH, as in: SOURCE_DATE_EPOCH=$(date +%s)')
done
[ "$(id -u)" -eq 0 ] || die "platform: requires root" "the same command with sudo"
command -v mmdebstrap >/dev/null || die "platform: mmdebstrap is not installed" "apt-get install mmdebstrap"
[ "$architectures" = amd64 ] || check_foreign_programs || exit

roots=${BENCHD_PLATFORM_ROOTS:-/var/tmp/benchd-platforms}
root=$roots/${folder:-$release}
ccache=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache}
(umask 022 && mkdir -p "$roots")
check_owner "$roots"
# Two runs would build in the same folder. The lock ends with this process and its children.
exec 9>"$root.lock"
flock --nonblock 9 || die "platform $name: another run uses $root" \
  "wait until it has ended, or name another folder by BENCHD_PLATFORM_ROOTS"
if [ -e "$root" ] || [ -L "$root" ]; then
  check_owner "$root"
  is_complete "$root" || {
    say "$root lacks files of its packages, and is made again"
    make_root "$release" "$root"
  }
else
  make_root "$release" "$root"
fi
add_packages "$release" "$root"
copy_checkout "$root"
failed=()
for step in "${steps[@]}"; do
  say "$name: $step"
  begin=$SECONDS
  if ! inside "$root" "$(command_of "$step")"; then
    failed+=("$step")
  elif [ "$step" = package ]; then
    copy_packages "$root" "build/package/$name"
  elif [ "$step" = archive ]; then
    copy_archive "$root"
  elif [ "$step" = boot ] && ! boot_machine "$root"; then
    failed+=("$step")
  fi
  say "$name: $step took $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s"
done
if [ ${#failed[@]} -gt 0 ]; then
  say "$name: FAILED: ${failed[*]}"
  exit 1
fi
say "$name: passed: ${steps[*]}"
