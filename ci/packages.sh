# All Debian packages that this project needs, grouped by purpose; it needs nothing else.
# Sourced by ./dev and ci/platform.sh. The names are those of Debian 12; packages_in translates them
# for later releases.
# shellcheck shell=bash disable=SC2034

# The releases of Debian on which benchd is built, tested and packaged, oldest first.
releases=(bookworm trixie forky)

# What reads symbols and debug information. The static libdw needs the libraries for compression.
symbol_packages=(
  libdw-dev libelf-dev libiberty-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev
)
build_packages=(
  g++ cmake ninja-build pkg-config ccache
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
  libasio-dev libspdlog-dev libfmt-dev libboost-dev libsqlite3-dev
  libcli11-dev libtomlplusplus-dev nlohmann-json3-dev nettle-dev libre2-dev libpugixml-dev
  "${symbol_packages[@]}"
  libgtest-dev libgmock-dev
)
# For arm64 builds on amd64: programs that run here, and libraries to link with.
cross_packages=(
  crossbuild-essential-arm64 qemu-user cmake ninja-build pkg-config ccache protobuf-compiler
  protobuf-compiler-grpc libasio-dev libcli11-dev nlohmann-json3-dev git python3 util-linux zstd
  dpkg-dev file lintian systemd # packages and their tests
)
target_packages=(
  libgrpc++-dev libprotobuf-dev libspdlog-dev libfmt-dev libboost-dev libsqlite3-dev
  libtomlplusplus-dev nettle-dev libre2-dev libpugixml-dev "${symbol_packages[@]}"
  libgtest-dev libgmock-dev libbenchmark-dev libpq-dev
)
test_packages=(
  git make python3 python3-grpcio python3-jsonschema python3-protobuf systemd util-linux tmux
  libbenchmark-dev hyperfine # harnesses for tests with real programs
  strace valgrind # tests/bench/bounds.py
  curl jq python3-yaml # ci/github/action.yml
)
ssh_packages=(openssh-client openssh-server)
slurm_packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge)
package_packages=(dpkg-dev file lintian libpq-dev)
archive_packages=(libpq-dev python3 zstd)
rpm_packages=(libpq-dev rpm rpmlint)
database_packages=(postgresql libpq-dev)
harness_packages=(
  apache2-utils catch2 fio g++ golang-go hey hyperfine libbenchmark-dev librust-criterion-dev
  linux-perf postgresql python3-pytest-benchmark valgrind wrk
)
# Of npm.
harness_modules=(autocannon@9 mitata@1 tinybench@6 vitest@4)
report_packages=(chromium chromium-driver python3-selenium npm)
vm_packages=(python3 e2fsprogs)
bench_packages=(python3 python3-grpcio python3-protobuf)
peer_packages=(hyperfine linux-perf multitime libbenchmark-tools python3-numpy python3-scipy)
format_packages=(git clang-format)
coverage_packages=(gcovr)
lint_packages=(git python3 clang-format clang-tidy)
fuzz_packages=(clang llvm)

# packages_in RELEASE PACKAGE...: the names in that release, one per line.
# Packages that it lacks are omitted.
packages_in() {
  local release=$1 package
  for package in "${@:2}"; do
    case $release:$package in
      forky:hyperfine) ;; # its tests are reported as skipped
      trixie:multitime | forky:multitime) ;; # ./dev bench omits this peer
      *) printf '%s\n' "$package" ;;
    esac
  done
}

# The same for the running system.
packages_here() {
  local VERSION_CODENAME=
  # shellcheck source=/dev/null
  if [ -r /etc/os-release ]; then source /etc/os-release; fi
  packages_in "$VERSION_CODENAME" "$@"
}
