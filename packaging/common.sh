# What the scripts of this folder share; read by them, from the root of the tree.

# Whatever the user's is: rights of what is packaged are everybody's.
umask 022

root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
out=${PACKAGES:-$root/target/packages}
# Programs that count what they do, and what they have counted, by processor; see packaging/profile.
counting=$root/target/profile
# The time of everything that is packaged: that of the commit, so that two builds of it are the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# The processor of a package: its name in Rust's targets, in Debian's packages, in RPMs.
rust_target() {
  case $1 in
    amd64) echo x86_64-unknown-linux-musl ;;
    arm64) echo aarch64-unknown-linux-musl ;;
    *) fail "amd64 or arm64, not '$1'" ;;
  esac
}
rpm_arch() {
  case $1 in amd64) echo x86_64 ;; arm64) echo aarch64 ;; esac
}
# What runs such a binary here: nothing more on a machine of its kind, else an emulator.
runner() {
  case $(uname -m):$1 in
    x86_64:amd64 | aarch64:arm64) ;;
    *:arm64) echo qemu-aarch64-static ;;
    *:amd64) echo qemu-x86_64-static ;;
  esac
}
