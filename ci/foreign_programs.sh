# Runs programs for another processor under qemu-user, without a change of this machine. Sourced by
# ci/platform.sh and tests/vm/image/build.sh. Requires root.
# shellcheck shell=bash

# check_foreign_programs: fails with an error if the kernel lacks what with_arm64_programs needs.
check_foreign_programs() {
  local release
  release=$(uname -r)
  # A user namespace has its own binfmt_misc since Linux 6.7.
  if [ "$(printf '%s\n' 6.7 "$release" | sort -V | head -n 1)" != 6.7 ]; then
    printf 'error: arm64: needs Linux 6.7 or later, and this is %s\n' "$release" >&2
    printf 'hint: boot a later kernel, such as that of Debian 13 (6.12)\n' >&2
    return 2
  fi
}

# in_user_namespace COMMAND...: runs it as root of a user namespace with the same users and groups.
# unshare's own option for this reads /etc/subuid even for root.
in_user_namespace() {
  local pipe child
  pipe=$(mktemp -u)
  mkfifo -m 600 "$pipe"
  exec 3<>"$pipe"
  rm "$pipe"
  unshare --user --keep-caps bash -euc \
    'read -r <&3; exec setpriv --reuid 0 --regid 0 --clear-groups "$@" 3>&-' bash "$@" &
  child=$!
  while [ "$(readlink "/proc/$child/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.01; done
  echo 0 0 65536 >"/proc/$child/uid_map"
  echo 0 0 65536 >"/proc/$child/gid_map"
  echo >&3
  exec 3>&-
  wait "$child"
}

# with_arm64_programs QEMU COMMAND...: runs it in its own mount and process namespaces, in which
# QEMU (qemu-aarch64) runs programs for arm64 and those that they start.
#
# Their format is known to the binfmt_misc of that user namespace. The machine's own is unchanged.
with_arm64_programs() {
  check_foreign_programs || return
  # shellcheck disable=SC2016 # for the other shell
  in_user_namespace unshare --mount --propagation private --pid --fork --kill-child --mount-proc bash -euc '
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    # The header of a 64-bit ELF file for processor 183, a program or a library.
    printf %s ":arm64:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$1:F" \
      >/proc/sys/fs/binfmt_misc/register
    exec "${@:2}"
  ' bash "$@"
}
