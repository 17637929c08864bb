#!/usr/bin/env bash
# build.sh DIR [RELEASE [ARCHITECTURE]]: builds the test machine in DIR (QEMU, a kernel, a root
# disk, ACPI tables) from Debian packages only. RELEASE selects kernel and root disk: bookworm
# (default), trixie, forky or sid. ARCHITECTURE is amd64 (default) or arm64. Nothing is installed on
# this machine: packages are unpacked below DIR.
#
# Afterwards DIR contains
#   tools/      QEMU and iasl or fdtput, unless this machine has them
#   vmlinux     Debian's cloud kernel, uncompressed because the kernel's own decompressor would take
#               seconds under emulation; QEMU starts it directly
#   root.ext4   Debian with systemd, Python and the dependencies of benchd
#   *.aml       amd64: ACPI tables that give the emulated CPUs a real cpufreq driver
#
# Needs root, to unpack a Debian root file system with its owners, and apt. Exit code 77: packages
# are not available here.
set -euo pipefail

fail() {
  printf 'error: %s\n' "$1" >&2
  if [ $# -gt 1 ]; then printf 'hint: %s\n' "$2" >&2; fi
  exit 1
}
# For failures beyond our control: a missing network or package.
unavailable() {
  printf 'error: %s\n' "$1" >&2
  exit 77
}
step() { printf '    %-44s %3d s\n' "$1" "$SECONDS" >&2; }

(($# >= 1 && $# <= 3)) || fail "build.sh: needs one to three arguments" \
  "build.sh DIR [RELEASE [ARCHITECTURE]]"
release=${2:-bookworm}
architecture=${3:-amd64}
[ "$(id -u)" -eq 0 ] || fail "the test machine: only root can build it" "sudo $0 $1"
for program in apt-get dpkg mke2fs python3; do
  command -v "$program" >/dev/null || fail "the test machine: '$program' is missing"
done

source_dir=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=ci/foreign_programs.sh
source "$source_dir/../../../ci/foreign_programs.sh"
mkdir -p "$1"
cd "$1"
out=$PWD
kernel_package=linux-image-cloud-$architecture
host_packages=(mmdebstrap lz4 zstd)
case $architecture in
  amd64)
    host_packages+=(qemu-system-x86 acpica-tools)
    acpi_tables=("$source_dir"/acpi/*.asl)
    test_output=ttyS1
    ;;
  arm64)
    host_packages+=(qemu-system-arm qemu-user-static device-tree-compiler)
    acpi_tables=()
    test_output=ttyS0 # the first one is ttyAMA0
    ;;
  *) fail "architecture '$architecture': not known" "amd64 or arm64" ;;
esac
# The packages made on Debian 13 need libdw, because its static one cannot be linked.
libraries=()
[ "$release" != trixie ] || libraries+=(libdw1)
# The minimum for a machine with systemd, benchd and the tests. The names are the same in every
# release, because other libraries whose packages change their names are linked statically.
guest_packages=(
  systemd systemd-sysv dbus udev kmod procps util-linux util-linux-extra passwd python3
  libstdc++6 libsqlite3-0 zlib1g libpq5 man-db bash-completion adduser sudo zstd "${libraries[@]}"
)
# Units that would start in a fresh system and disturb tests: unused consoles, timers, and the
# network, which this machine lacks.
masked_units=(
  getty.target serial-getty@ttyS0.service serial-getty@ttyAMA0.service getty@tty1.service
  systemd-timesyncd.service
  apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer
  e2scrub_reap.service fstrim.timer systemd-networkd.service systemd-firstboot.service
  systemd-binfmt.service proc-sys-fs-binfmt_misc.automount man-db.timer
)

# ---- programs for the host, and the kernel ----
mkdir -p archives/partial tools kernel
apt-get update -qq || unavailable "apt-get update failed: is there a network?"
# apt's unprivileged downloader cannot write to the user's cache.
apt=(apt-get -qq -o APT::Sandbox::User=root)
"${apt[@]}" install -y --no-install-recommends --download-only \
  -o "Dir::Cache::archives=$out/archives" "${host_packages[@]}" >/dev/null ||
  unavailable "these packages are not available: ${host_packages[*]}"
# Installed packages are not downloaded, because their programs are on PATH.
for package in archives/*.deb; do
  if [ -e "$package" ]; then dpkg -x "$package" tools; fi
done
export PATH=$out/tools/usr/bin:$out/tools/usr/sbin:$PATH
export LD_LIBRARY_PATH=$out/tools/usr/lib/x86_64-linux-gnu:$out/tools/lib/x86_64-linux-gnu
export PERL5LIB=$out/tools/usr/share/perl5

# here COMMAND...: runs it so that programs of the machine's architecture can be started.
here() {
  case $architecture in
    amd64) "$@" ;;
    arm64) with_arm64_programs "$qemu_user" "$@" ;;
  esac
}
if [ "$architecture" = arm64 ]; then
  # Its name in Debian 12 and in later releases.
  qemu_user=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
  here true || unavailable "this kernel has no binfmt_misc for user namespaces (Linux 6.7)"
fi

# debian VARIANT PACKAGE,... TARGET [OPTION...]: packages of the release, unpacked.
debian() {
  local variant=$1 include=$2 target=$3
  shift 3
  local sources=() list
  if [ "$release" = bookworm ]; then
    for list in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
      # Use this machine's mirrors. Without such a file mmdebstrap uses Debian's own.
      if [ -s "$list" ]; then sources=("$list") && break; fi
    done
  fi
  # The machine is only for tests, so an expired index is acceptable.
  here mmdebstrap --quiet --variant="$variant" --mode=root --architectures="$architecture" \
    --skip=check/qemu --include="$include" \
    --aptopt='Apt::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
    "$@" "$release" "$target" "${sources[@]}" 2>mmdebstrap.log ||
    unavailable "$release: mmdebstrap failed: $(tail -n 1 mmdebstrap.log) (see $out/mmdebstrap.log)"
}

debian extract "$kernel_package" kernel
for modules in kernel/usr/lib/modules/* kernel/lib/modules/*; do
  if [ -d "$modules/kernel" ]; then break; fi
done
[ -d "$modules/kernel" ] || fail "$release: $kernel_package has no modules"
version=$(basename "$modules")
# Since forky, the kernel is in the folder of its modules.
for kernel in "kernel/boot/vmlinuz-$version" "$modules/vmlinuz"; do
  if [ -e "$kernel" ]; then break; fi
done
python3 "$source_dir/extract_vmlinux.py" "$kernel" vmlinux
step "QEMU and the kernel $version are there"

# ---- ACPI tables ----
for table in "${acpi_tables[@]}"; do
  name=$(basename "$table" .asl)
  iasl -p "$out/$name" "$table" >"iasl-$name.log" 2>&1 || fail "$table: see $out/iasl-$name.log"
done

# ---- the root disk ----
include=$(IFS=,; printf '%s' "${guest_packages[*]}")
debian minbase "$include" root.tar --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*'
step "Debian $release is unpacked"

root=$out/root
rm -rf "$root"
mkdir "$root"
tar -xf root.tar -C "$root" --exclude='./dev/*'
install -D -m 755 -t "$root/usr/local/lib/vm-test" "$source_dir/guest/vm-test"
install -D -m 644 -t "$root/etc/systemd/system" "$source_dir"/guest/vm-test.{service,target}
sed -i "s|@test_output@|$test_output|" "$root/etc/systemd/system/vm-test.service"
ln -sf /etc/systemd/system/vm-test.target "$root/etc/systemd/system/default.target"
for unit in "${masked_units[@]}"; do ln -sf /dev/null "$root/etc/systemd/system/$unit"; done
echo vm-test >"$root/etc/hostname"
: >"$root/etc/fstab"
# Without this file systemd would perform a "first boot", with presets and questions.
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
# Kept in memory: changes of the disk are discarded, and the tests export the journal.
mkdir -p "$root/etc/systemd/journald.conf.d"
printf '[Journal]\nStorage=volatile\nRateLimitIntervalSec=0\n' \
  >"$root/etc/systemd/journald.conf.d/vm-test.conf"
mkdir -p "$root/lib/modules"
cp -a "$modules" "$root/lib/modules/"
here env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" depmod "$version"
rm -f root.ext4
mke2fs -q -t ext4 -O ^has_journal -m 0 -d "$root" root.ext4 1200M >/dev/null
echo "$version" >kernel-version
rm -rf "$root" root.tar archives kernel tools/usr/bin/qemu-*-static
step "the root disk is written"
