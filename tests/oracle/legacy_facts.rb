#!/usr/bin/env ruby
# frozen_string_literal: true

# Writes runtime/nodes/src/legacy_facts.tsv: the facts that Facter calls legacy, which agents do not send from Puppet 8 on
# (include_legacy_facts), each with the fact to read instead.
#
#   tests/oracle/puppet.sh 8 tests/oracle/legacy_facts.rb > runtime/nodes/src/legacy_facts.tsv
#
# Names come from Facter's own fact classes, of all operating systems: those with TYPE :legacy, and the ALIASES of others.
# An alias stands for the fact whose alias it is. Where a class has several, or is legacy itself, Facter's source does not
# say it as data: INSTEAD does. In names and what stands for them * is any text, and # a number. A third column says that
# the fact is in MiB, where the one to read instead is in bytes.

require 'facter'

root = File.dirname($LOADED_FEATURES.grep(%r{/facter\.rb\z}).first)

INSTEAD = {
  'blockdevice_.*_model' => 'disks.*.model', 'blockdevice_.*_size' => 'disks.*.size_bytes',
  'blockdevice_.*_vendor' => 'disks.*.vendor', 'blockdevices' => 'disks', 'dhcp_servers' => 'networking.interfaces.NAME.dhcp',
  'interfaces' => 'networking.interfaces', 'ipaddress6_.*' => 'networking.interfaces.*.ip6',
  'ipaddress_.*' => 'networking.interfaces.*.ip', 'lsbdistcodename' => 'os.distro.codename',
  'lsbdistdescription' => 'os.distro.description', 'lsbdistid' => 'os.distro.id',
  'lsbdistrelease' => 'os.distro.release.full', 'lsbmajdistrelease' => 'os.distro.release.major',
  'lsbminordistrelease' => 'os.distro.release.minor', 'lsbrelease' => 'os.distro.specification',
  'macaddress_.*' => 'networking.interfaces.*.mac', 'mtu_.*' => 'networking.interfaces.*.mtu',
  'netmask6_.*' => 'networking.interfaces.*.netmask6', 'netmask_.*' => 'networking.interfaces.*.netmask',
  'network6_.*' => 'networking.interfaces.*.network6', 'network_.*' => 'networking.interfaces.*.network',
  'operatingsystemmajrelease' => 'os.release.major', 'operatingsystemrelease' => 'os.release.full',
  'processor.*' => 'processors.models.#', 'scope6_.*' => 'networking.interfaces.*.scope6', 'serialnumber' => 'dmi.product.serial_number',
  'ssh.*key' => 'ssh.*.key', 'sshfp_.*' => 'ssh.*.fingerprints', 'macosx_productversion_major' => 'os.macosx.version.major',
  'macosx_productversion_minor' => 'os.macosx.version.minor', 'macosx_productversion_patch' => 'os.macosx.version.patch',
  'macosx_productversion' => 'os.macosx.version.full', 'xendomains' => 'xen.domains', 'zones' => 'solaris_zones.zones',
  **%w[chassis control name role_control role_impl role_io role_root role_service uuid].to_h { |word| ["ldom_domain#{word}", "ldom.domain#{word}"] },
  **%w[brand iptype name uuid id path status].to_h { |word| ["zone_.*_#{word}", word == 'name' ? 'solaris_zones.zones' : "solaris_zones.zones.*.#{word}"] }
}.freeze

found = {}
mebibytes = []
Dir[File.join(root, 'facter/facts/**/*.rb')].sort.each do |file|
  source = File.read(file)
  own = source[/FACT_NAME\s*=\s*'([^']*)'/, 1]
  next unless own

  aliases = source[/ALIASES\s*=\s*%[wi]\[([^\]]*)\]/m, 1]&.split || [source[/ALIASES\s*=\s*'([^']*)'/, 1]].compact
  if source.match?(/TYPE\s*=\s*:legacy/)
    aliases += [own]
    own = nil
  end
  mebibytes += aliases if source.include?('bytes_to_mb')
  aliases.each do |name|
    instead = INSTEAD[name] || (own if aliases.length == 1 && !name.include?('.*'))
    warn "#{file}: nothing is known to stand for #{name} of #{own}" unless instead
    (found[name] ||= []) << instead if instead
  end
end

puts "# The facts that Facter #{Facter.version} calls legacy, and what stands for them; written by tests/oracle/legacy_facts.rb"
found.sort.each do |name, instead|
  shown = name == 'processor.*' ? 'processor#' : name.gsub('.*', '*')
  all = instead.tally.sort_by { |word, count| [-count, word] }.map(&:first)
  puts [shown, all.first, *('MiB' if mebibytes.include?(name))].join("\t")
end
