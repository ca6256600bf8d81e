#!/bin/sh
# Makes Puppet 8 and OpenVox 9 ready to be run beside the Puppet 7 that is installed, without installing anything.
#
#   tests/oracle/fetch.sh [8] [9]
#
# Debian's packages of both, and of the Ruby they need, are downloaded and unpacked into .cache/oracles/8 and
# .cache/oracles/9. The apt that does it has a configuration, sources, lists and a cache of its own in .cache/oracles/apt:
# nothing of the machine's is read but its proxies and whether lists may be old, and nothing is changed. What is downloaded is checked by Debian's
# archive keyring. What is there already in the right version is left alone. The status is not 0 where one is not there
# in the end; the last line then says why.
set -eu

eight='puppet-agent 8.10.0 trixie
puppet-agent facter ruby-augeas ruby-concurrent ruby-deep-merge ruby-fast-gettext ruby-highline ruby-hocon ruby-locale
ruby-multi-json ruby-optimist ruby-puppet-resource-api ruby-scanf ruby-semantic-puppet ruby-text ruby-thor hiera-eyaml'
nine='ruby-openvox 9.0.0~rc1 sid
ruby-openvox openvox-agent openfact ruby-augeas ruby-concurrent ruby-deep-merge ruby-fast-gettext ruby-highline ruby-hocon
ruby-locale ruby-multi-json ruby-optimist ruby-puppet-resource-api ruby-scanf ruby-semantic-puppet ruby-text ruby-thor hiera-eyaml'

fail() {
  echo "$*" >&2
  exit 1
}

root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root/.cache/oracles"
# The link is followed: apt compares names of folders.
oracles=$(cd "$root/.cache/oracles" && pwd -P)
own=$oracles/apt
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# apt's configuration: its own folders, no hooks of the machine's.
configure() {
  mkdir -p "$own/state/lists/partial" "$own/cache/archives/partial" "$own/etc"
  cat > "$own/debian.sources" <<SOURCES
Types: deb
URIs: http://deb.debian.org/debian
Suites: trixie sid
Components: main
Signed-By: $keyring
SOURCES
  cat > "$own/apt.conf" <<CONF
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$own/etc";
Dir::Etc::sourcelist "$own/debian.sources";
Dir::Etc::sourceparts "$own/etc";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$own/etc";
Dir::State "$own/state";
Dir::State::status "/dev/null";
Dir::Cache "$own/cache";
Acquire::Languages "none";
APT::Sandbox::User "";
CONF
  # By which proxies, and whether a mirror may stand still, is the machine's choice.
  apt-config dump | grep -iE '^Acquire::([^ ]*proxy|check-)' >> "$own/apt.conf" || true
}

# The folder of one version, from its packages: there whole or not at all.
unpack() {
  version=$1 suite=$2 wanted=$3
  shift 3
  rm -rf "$own/$version"
  mkdir -p "$own/$version/debs" "$own/$version/root"
  (
    cd "$own/$version/debs"
    for name; do echo "$name/$suite"; done | xargs env APT_CONFIG="$own/apt.conf" apt-get -qq download
  ) || fail "apt could not download Puppet $version of Debian's $suite"
  for deb in "$own/$version/debs"/*.deb; do dpkg -x "$deb" "$own/$version/root"; done
  found=$(cd "$own/$version/debs" && ls "$1"_*.deb)
  case $found in
    "$1_$wanted"-*) ;;
    *) fail "Debian's $suite has $found, the oracle for $version is $1 $wanted" ;;
  esac
  echo "$wanted $*" > "$own/$version/root/complete"
  rm -rf "${oracles:?}/$version"
  mv "$own/$version/root" "$oracles/$version"
  rm -rf "$own/$version"
}

# Those that ask at the same time wait for each other.
exec 9> "$oracles/lock"
if command -v flock > /dev/null; then flock 9; fi

updated=
for version in ${@:-8 9}; do
  case $version in
    8) facts=$eight ;;
    9) facts=$nine ;;
    *) fail "fetch.sh makes 8 and 9 ready, not $version" ;;
  esac
  set -- $facts
  package=$1 wanted=$2 suite=$3
  shift 3
  # What is there was made of these packages, in this version.
  if [ "$(cat "$oracles/$version/complete" 2> /dev/null)" = "$wanted $*" ]; then continue; fi
  if ! command -v apt-get > /dev/null || ! command -v dpkg > /dev/null; then
    fail "there is no apt here to get $package $wanted with"
  fi
  [ -r "$keyring" ] || fail "there is no $keyring to check Debian's packages by"
  if [ -z "$updated" ]; then
    configure
    APT_CONFIG="$own/apt.conf" apt-get -qq update || fail "apt could not read the lists of Debian's packages"
    updated=yes
  fi
  unpack "$version" "$suite" "$wanted" "$@"
done
