#!/bin/sh
# Runs a Ruby script with one of the three Puppets as its library:
#
#   tests/oracle/puppet.sh 7|8|9 SCRIPT [ARGUMENT…]
#
# 7 is the one that is installed; 8 and 9 lie where `fetch.sh` unpacked them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=$1
shift
case $version in
  7) exec ruby "$@" ;;
  8 | 9)
    # A clean path: Puppet compares names of files, and would load its types twice.
    ORACLE_ROOT=$(cd "$here/../../.cache/oracles/$version" && pwd)
    export ORACLE_ROOT
    exec ruby --disable-gems -r "$here/unpacked.rb" "$@"
    ;;
  *)
    echo "puppet.sh: there is no oracle for $version" >&2
    exit 2
    ;;
esac
