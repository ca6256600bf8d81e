#!/bin/sh
# Records the compiles of modules' own rspec suites: record.sh JOBS.jsonl MODULE... [-- DEPENDENCY...]
#
# Each MODULE is a checkout with metadata.json and spec/; those that they depend on are given, too (behind --, where
# their own suites are not wanted), or are missing in the compiles. Beside the jobs' file a folder JOBS.jsonl.modules holds a link to each module by its name.
# Needs Debian's ruby-rspec-puppet, ruby-puppetlabs-spec-helper, ruby-rspec-puppet-facts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
jobs=$1
shift
case $jobs in /*) ;; *) jobs=$PWD/$jobs ;; esac
modules=$jobs.modules
rm -rf "$jobs" "$modules"
mkdir -p "$modules"
for module in "$@"; do
  [ "$module" != -- ] || continue
  module=$(cd "$module" && pwd)
  name=$(ruby -rjson -e 'puts JSON.parse(File.read(ARGV[0]))["name"].split(/[-\/]/, 2).last' "$module/metadata.json")
  ln -sfn "$module" "$modules/$name"
  # Modules that exist for a suite alone.
  for own in "$module"/spec/fixtures/*/manifests "$module"/spec/fixtures/modules/*/manifests; do
    [ -d "$own" ] || continue
    own=$(dirname "$own")
    [ -e "$modules/$(basename "$own")" ] || ln -s "$own" "$modules/$(basename "$own")"
  done
done
for module in "$@"; do
  [ "$module" != -- ] || break
  (
    cd "$module"
    mkdir -p spec/fixtures
    [ -e spec/fixtures/modules ] || ln -s "$modules" spec/fixtures/modules
    for folder in classes defines hosts functions type_aliases; do
      [ -d "spec/$folder" ] || continue
      RECORD=$jobs MODULES=$modules timeout 600 \
        rspec -I "$here/shims" -I spec -r "$here/record.rb" --no-color "spec/$folder" >"$jobs.log" 2>&1 ||
        { echo "$module/spec/$folder:"; grep -E '^[0-9]+ examples|Error|cannot load' "$jobs.log" | sort | uniq -c | sort -rn | head -4; }
    done
  )
done
wc -l "$jobs"
