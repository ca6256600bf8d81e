# The names of the files of Puppet's, Facter's and SemanticPuppet's own Ruby, a folder a line; behind a colon the versions
# that have a file, where not all have. Written by tests/oracle/library_files.rb.

module Bunraku
  PUPPET_FILES = <<~FILES
    .: facter puppet puppet_pal semantic_puppet
    facter: config version
    facter/custom_facts/core: aggregate directed_graph execution file_loader legacy_facter resolvable suitable
    facter/custom_facts/core/execution: base popen3 posix windows
    facter/custom_facts/util: collection composite_loader config confine directory_loader fact loader normalization nothing_loader parser resolution unix_root values windows_root
    facter/facts/aix: aio_agent_version disks facterversion filesystems interfaces ipaddress6_interfaces ipaddress_interfaces kernel kernelmajversion kernelrelease kernelversion load_averages macaddress_interfaces mountpoints mtu_interfaces netmask6_interfaces netmask_interfaces network6_interfaces network_interfaces nim_type partitions path processor scope6_interfaces serialnumber ssh sshalgorithmkey sshfp_algorithm timezone
    facter/facts/aix/augeas: version
    facter/facts/aix/hypervisors: lpar wpar
    facter/facts/aix/identity: gid group privileged uid user
    facter/facts/aix/memory/swap: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/aix/memory/system: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/aix/networking: domain fqdn hostname interfaces ip ip6 mac mtu netmask netmask6 network network6 primary scope6
    facter/facts/aix/os: architecture family hardware name release
    facter/facts/aix/processors: cores count isa models speed threads
    facter/facts/aix/ruby: platform sitedir version
    facter/facts/aix/system_uptime: days hours seconds uptime
    facter/facts/alpine/os: release
    facter/facts/amzn: lsbdistcodename lsbdistdescription lsbdistid
    facter/facts/amzn/os: release
    facter/facts/amzn/os/distro: codename description id release
    facter/facts/archlinux/os: release:89
    facter/facts/azurelinux/os: release:89
    facter/facts/bsd: kernelmajversion kernelversion load_averages
    facter/facts/bsd/os: family
    facter/facts/bsd/processors: count models speed
    facter/facts/debian: architecture lsbdistcodename lsbdistdescription lsbdistid
    facter/facts/debian/os: release
    facter/facts/debian/os/distro: codename description id release
    facter/facts/devuan/os: release
    facter/facts/devuan/os/distro: release
    facter/facts/freebsd: disks ec2_metadata ec2_userdata facterversion ipaddress6_interfaces ipaddress_interfaces is_virtual kernel kernelrelease mountpoints netmask6_interfaces netmask_interfaces network6_interfaces network_interfaces partitions path ssh sshalgorithmkey sshfp_algorithm timezone virtual zfs_featurenumbers zfs_version zpool_featureflags zpool_featurenumbers zpool_version
    facter/facts/freebsd/augeas: version
    facter/facts/freebsd/dmi: manufacturer
    facter/facts/freebsd/dmi/bios: release_date vendor version
    facter/facts/freebsd/dmi/product: name serial_number uuid
    facter/facts/freebsd/identity: gid group privileged uid user
    facter/facts/freebsd/memory/swap: available available_bytes capacity encrypted total total_bytes used used_bytes
    facter/facts/freebsd/memory/system: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/freebsd/networking: dhcp domain fqdn hostname interfaces ip ip6 mac mtu netmask netmask6 network network6 primary scope6
    facter/facts/freebsd/os: architecture hardware name release
    facter/facts/freebsd/processors: count isa models speed
    facter/facts/freebsd/ruby: platform sitedir version
    facter/facts/freebsd/system_uptime: days hours seconds uptime
    facter/facts/gentoo/os: release
    facter/facts/linux: aio_agent_version az_metadata dhcp_servers disks ec2_metadata ec2_userdata facterversion filesystems fips_enabled gce interfaces ipaddress6_interfaces ipaddress_interfaces is_virtual kernel kernelmajversion kernelrelease kernelversion load_averages lsbdistrelease macaddress_interfaces mountpoints mtu_interfaces netmask6_interfaces netmask_interfaces network6_interfaces network_interfaces partitions path processor scope6_interfaces ssh sshalgorithmkey sshfp_algorithm timezone virtual xen zfs_featurenumbers:9 zfs_version:9 zpool_featureflags:9 zpool_featurenumbers:9 zpool_version:9
    facter/facts/linux/augeas: version
    facter/facts/linux/cloud: provider
    facter/facts/linux/dmi: manufacturer
    facter/facts/linux/dmi/bios: release_date vendor version
    facter/facts/linux/dmi/board: asset_tag manufacturer product serial_number
    facter/facts/linux/dmi/chassis: asset_tag type
    facter/facts/linux/dmi/product: name serial_number uuid version:89
    facter/facts/linux/hypervisors: docker hyper_v kvm lxc openvz systemd_nspawn virtualbox vmware xen
    facter/facts/linux/identity: gid group privileged uid user
    facter/facts/linux/memory/swap: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/linux/memory/system: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/linux/networking: dhcp domain fqdn hostname interfaces ip ip6 mac mtu netmask netmask6 network network6 primary scope6
    facter/facts/linux/os: architecture family hardware name release support:9
    facter/facts/linux/os/distro: codename description id release specification
    facter/facts/linux/os/selinux: config_mode config_policy current_mode enabled enforced policy_version
    facter/facts/linux/processors: cores count isa models physicalcount speed threads extensions:89
    facter/facts/linux/ruby: platform sitedir version
    facter/facts/linux/system_uptime: days hours seconds uptime
    facter/facts/linuxmint/os: name release
    facter/facts/macosx: aio_agent_version dhcp_servers facterversion filesystems interfaces ipaddress6_interfaces ipaddress_interfaces is_virtual kernel kernelmajversion kernelrelease kernelversion load_averages macaddress_interfaces mountpoints mtu_interfaces netmask6_interfaces netmask_interfaces network6_interfaces network_interfaces path scope6_interfaces ssh sshalgorithmkey sshfp_algorithm timezone virtual
    facter/facts/macosx/augeas: version
    facter/facts/macosx/dmi/product: name
    facter/facts/macosx/identity: gid group privileged uid user
    facter/facts/macosx/memory/swap: available available_bytes capacity encrypted total total_bytes used used_bytes
    facter/facts/macosx/memory/system: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/macosx/networking: dhcp domain fqdn hostname interfaces ip ip6 mac mtu netmask netmask6 network network6 primary scope6
    facter/facts/macosx/os: architecture family hardware name release
    facter/facts/macosx/os/macosx: build product version
    facter/facts/macosx/processors: cores count isa models physicalcount speed threads
    facter/facts/macosx/ruby: platform sitedir version
    facter/facts/macosx/system_profiler: boot_mode boot_rom_version boot_volume computer_name cores hardware_uuid kernel_version l2_cache_per_core l3_cache memory model_identifier model_name processor_name processor_speed processors secure_virtual_memory serial_number smc_version system_version uptime username
    facter/facts/macosx/system_uptime: days hours seconds uptime
    facter/facts/mageia/os: release
    facter/facts/mariner/os: release
    facter/facts/meego/os: release
    facter/facts/oel/os: release
    facter/facts/ol: lsbdistdescription:89 lsbdistid:89
    facter/facts/ol/os: release
    facter/facts/ol/os/distro: description:89 id:89
    facter/facts/openbsd: ec2_metadata:89 ec2_userdata:89 facterversion:89 ipaddress6_interfaces:89 ipaddress_interfaces:89 is_virtual:89 kernel:89 kernelrelease:89 mountpoints:89 netmask6_interfaces:89 netmask_interfaces:89 network6_interfaces:89 network_interfaces:89 path:89 ssh:89 sshalgorithmkey:89 sshfp_algorithm:89 timezone:89 virtual:89
    facter/facts/openbsd/augeas: version:89
    facter/facts/openbsd/dmi: manufacturer:89
    facter/facts/openbsd/dmi/bios: vendor:89 version:89
    facter/facts/openbsd/dmi/product: name:89 serial_number:89 uuid:89
    facter/facts/openbsd/identity: gid:89 group:89 privileged:89 uid:89 user:89
    facter/facts/openbsd/networking: dhcp:89 domain:89 fqdn:89 hostname:89 interfaces:89 ip:89 ip6:89 mac:89 mtu:89 netmask:89 netmask6:89 network:89 network6:89 primary:89 scope6:89
    facter/facts/openbsd/os: architecture:89 hardware:89 name:89 release:89
    facter/facts/openbsd/processors: isa:89 count:9
    facter/facts/openbsd/ruby: platform:89 sitedir:89 version:89
    facter/facts/openbsd/system_uptime: days:89 hours:89 seconds:89 uptime:89
    facter/facts/openwrt/os: release
    facter/facts/ovs/os: release
    facter/facts/photon/os: release
    facter/facts/rhel: lsbdistcodename lsbdistdescription lsbdistid
    facter/facts/rhel/os: family name release
    facter/facts/rhel/os/distro: codename description id release
    facter/facts/slackware/os: release
    facter/facts/sles: lsbdistcodename lsbdistdescription lsbdistid
    facter/facts/sles/os: family release
    facter/facts/sles/os/distro: codename description id release
    facter/facts/solaris: aio_agent_version current_zone dhcp_servers disks facterversion filesystems interfaces ipaddress6_interfaces ipaddress_interfaces is_virtual kernel kernelmajversion kernelrelease kernelversion ldom load_averages macaddress_interfaces mountpoints mtu_interfaces netmask6_interfaces netmask_interfaces network6_interfaces network_interfaces path ssh sshalgorithmkey sshfp_algorithm timezone virtual zfs_featurenumbers zfs_version zones zpool_featureflags zpool_featurenumbers zpool_version
    facter/facts/solaris/augeas: version
    facter/facts/solaris/dmi: manufacturer
    facter/facts/solaris/dmi/bios: release_date vendor version
    facter/facts/solaris/dmi/chassis: asset_tag type
    facter/facts/solaris/dmi/product: name serial_number uuid
    facter/facts/solaris/hypervisors: ldom zone
    facter/facts/solaris/identity: gid group privileged uid user
    facter/facts/solaris/memory/swap: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/solaris/memory/system: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/solaris/networking: dhcp domain fqdn hostname interfaces ip ip6 mac mtu netmask netmask6 network network6 primary
    facter/facts/solaris/os: architecture family hardware name release
    facter/facts/solaris/processors: cores count isa models physicalcount speed threads
    facter/facts/solaris/ruby: platform sitedir version
    facter/facts/solaris/system_uptime: days hours seconds uptime
    facter/facts/ubuntu: lsbdistrelease
    facter/facts/ubuntu/os: release
    facter/facts/ubuntu/os/distro: release
    facter/facts/windows: aio_agent_version az_metadata dhcp_servers ec2_metadata ec2_userdata facterversion fips_enabled gce interfaces ipaddress6_interfaces ipaddress_interfaces is_virtual kernel kernelmajversion kernelrelease kernelversion macaddress_interfaces mtu_interfaces netmask6_interfaces netmask_interfaces network6_interfaces network_interfaces path processor scope6_interfaces ssh sshalgorithmkey sshfp_algorithm timezone virtual
    facter/facts/windows/augeas: version:7
    facter/facts/windows/cloud: provider
    facter/facts/windows/dmi: manufacturer
    facter/facts/windows/dmi/product: name serial_number uuid
    facter/facts/windows/hypervisors: hyperv kvm virtualbox vmware xen
    facter/facts/windows/identity: privileged user
    facter/facts/windows/memory/system: available available_bytes capacity total total_bytes used used_bytes
    facter/facts/windows/networking: dhcp domain fqdn hostname interfaces ip ip6 mac mtu netmask netmask6 network network6 primary scope6
    facter/facts/windows/os: architecture family hardware name release
    facter/facts/windows/os/windows: display_version edition_id installation_type product_name release_id system32
    facter/facts/windows/processors: cores count isa models physicalcount threads
    facter/facts/windows/ruby: platform sitedir version
    facter/facts/windows/system_uptime: days hours seconds uptime
    facter/framework/benchmarking: timer
    facter/framework/cli: cli cli_launcher
    facter/framework/config: config_reader fact_groups
    facter/framework/core: cache_manager fact_filter fact_manager file_loader options session_cache
    facter/framework/core/fact/external: external_fact_manager
    facter/framework/core/fact/internal: core_fact internal_fact_manager
    facter/framework/core/fact_loaders: class_discoverer external_fact_loader fact_loader internal_fact_loader
    facter/framework/core/options: config_file_options option_store options_validator
    facter/framework/detector: os_detector os_hierarchy
    facter/framework/formatters: formatter_factory formatter_helper hocon_fact_formatter json_fact_formatter legacy_fact_formatter yaml_fact_formatter
    facter/framework/logging: logger logger_helper
    facter/framework/parsers: query_parser
    facter/models: fact_collection loaded_fact resolved_fact searched_fact
    facter/patches/sysfilesystem/sys: statvfs:7
    facter/resolvers: aio_agent_version augeas az base_resolver containers:78 debian_version disks:78 dmi:78 dmi_decode ec2 eos_release facterversion filesystems:78 fips_enabled:78 gce hostname identity load_averages lpar lsb_release lspci memory:78 mountpoints networking open_vz os_release partitions path processors:78 processors_lscpu:78 redhat_release release_from_first_line ruby selinux specific_release_file ssh suse_release sw_vers timezone uname uptime virt_what vmware wpar xen zfs zpool
    facter/resolvers/aix: architecture disks filesystem:78 hardware load_averages memory mountpoints networking nim os_level partitions processors serialnumber filesystems:9
    facter/resolvers/aix/ffi: ffi ffi_helper structs
    facter/resolvers/amzn: os_release_rpm:89
    facter/resolvers/bsd: processors
    facter/resolvers/bsd/ffi: ffi_helper
    facter/resolvers/freebsd: dmi freebsd_version geom processors swap_memory system_memory virtual
    facter/resolvers/freebsd/ffi: ffi_helper
    facter/resolvers/linux: docker_uptime hostname load_averages networking containers:9 disks:9 dmi:9 filesystems:9 fips_enabled:9 memory:9 processors:9 processors_lscpu:9
    facter/resolvers/macosx: dmi filesystems load_averages mountpoints processors swap_memory system_memory system_profiler
    facter/resolvers/openbsd: dhcp:89 dmi:89 mountpoints:89 virtual:89 processors:9
    facter/resolvers/solaris: disks dmi dmi_sparc filesystems ipaddress ldom memory mountpoints networking os_release processors zone zone_name
    facter/resolvers/solaris/ffi: ffi functions structs
    facter/resolvers/windows: aio_agent_version dmi_bios dmi_computersystem fips hardware_architecture identity kernel memory netkvm networking processors product_release ssh system32 timezone uptime virtualization win_os_description
    facter/resolvers/windows/ffi: ffi hardware_ffi identity_ffi ip_adapter_addresses_lh kernel_ffi memory_ffi network_utils networking_ffi os_version_info_ex performance_information system32_ffi system_info winnls_ffi
    facter/util: api_debugger file_helper utils linux:9
    facter/util/aix: info_extractor odm_query
    facter/util/facts: facts_utils unit_converter uptime_parser windows_release_finder
    facter/util/facts/posix: virtual_detector
    facter/util/linux: dhcp if_inet6 routing_table socket_parser proc:89
    facter/util/macosx: system_profile_executor
    facter/util/resolvers: aws_token filesystem_helper fingerprint http ssh ssh_helper uptime_helper
    facter/util/resolvers/ffi: hostname load_averages
    facter/util/resolvers/networking: dhcp networking primary_interface
    facter/util/windows: win32ole
    puppet: agent application application_support coercion compilable_resource_type concurrent configurer confine confine_collection confiner context daemon data_binding datatypes defaults environments error etc face facter_impl file_bucket file_serving file_system forge functions graph http indirector info_service interface loaders module module_tool network node parameter parser plugins pops property provider relationship reports resource runtime scheduler settings ssl syntax_checkers thread_local transaction trusted_external type util vendor version x509 resource_api:89
    puppet/agent: disabler locker
    puppet/application: agent apply catalog config describe device doc epp face_base facts filebucket generate help indirection_base lookup module node parser plugin report resource script ssl
    puppet/concurrent: lock synchronized thread_local_singleton
    puppet/configurer: downloader fact_handler plugin_handler
    puppet/confine: any boolean exists false feature true variable
    puppet/context: trusted_information
    puppet/datatypes: error
    puppet/datatypes/impl: error
    puppet/external: dot
    puppet/external/pson: common:7 pure:7 version:7
    puppet/external/pson/pure: generator:7 parser:7
    puppet/face: catalog config epp facts generate help module node parser plugin report resource
    puppet/face/catalog: select
    puppet/face/module: changes install list uninstall upgrade
    puppet/face/node: clean
    puppet/feature: base bolt cfpropertylist eventlog hiera_eyaml hocon libuser msgpack pe_license selinux ssh telnet zlib pson:89 dbus:9
    puppet/ffi: posix windows
    puppet/ffi/posix: constants functions
    puppet/ffi/windows: api_types constants functions structs
    puppet/file_bucket: dipper file
    puppet/file_serving: base configuration content fileset http_metadata metadata mount terminus_helper terminus_selector
    puppet/file_serving/configuration: parser
    puppet/file_serving/mount: file locales modules pluginfacts plugins scripts tasks
    puppet/file_system: file_impl jruby memory_file memory_impl path_pattern posix uniquefile windows
    puppet/forge: cache errors repository
    puppet/functions: abs alert all annotate any assert_type binary_file break call camelcase capitalize ceiling chomp chop compare contain convert_to crit debug defined dig downcase each emerg empty epp err eyaml_lookup_key filter find_file find_template flatten floor get getvar group_by hiera hiera_array hiera_hash hiera_include hocon_data import include index info inline_epp join json_data keys length lest lookup lstrip map match max min module_directory new next notice partition reduce regsubst require return reverse_each round rstrip scanf size slice sort split step strftime strip then tree_each type unique unwrap upcase values versioncmp warning with yaml_data
    puppet/generate: type
    puppet/generate/models/type: property type
    puppet/gettext: config module_translations stubs
    puppet/graph: key prioritizer rb_tree_map relationship_graph sequential_prioritizer simple_graph
    puppet/http: client dns errors external_client factory pool pool_entry proxy redirector resolver response response_converter response_net_http retry_after_handler service session site
    puppet/http/resolver: server_list settings srv
    puppet/http/service: ca compiler file_server puppetserver report
    puppet/indirector: code direct_file_server envelope errors exec face fact_search file_content file_metadata file_server generic_http hiera:78 indirection json memory msgpack none plain request rest store_configs terminus yaml
    puppet/indirector/catalog: compiler json msgpack rest store_configs yaml
    puppet/indirector/data_binding: hiera none
    puppet/indirector/facts: facter json memory network_device rest store_configs yaml
    puppet/indirector/file_bucket_file: file rest selector
    puppet/indirector/file_content: file file_server rest selector
    puppet/indirector/file_metadata: file file_server http rest selector
    puppet/indirector/node: exec json memory msgpack plain rest store_configs yaml
    puppet/indirector/report: json msgpack processor rest yaml
    puppet/indirector/resource: ral store_configs validator
    puppet/info_service: class_information_service plan_information_service task_information_service
    puppet/interface: action action_builder action_manager documentation face_collection option option_builder option_manager
    puppet/metatype: manager
    puppet/module: plan task
    puppet/module_tool: applications checksums contents_description:78 dependency errors install_directory installed_modules local_tarball metadata shared_behaviors tar
    puppet/module_tool/applications: application checksummer installer uninstaller unpacker upgrader
    puppet/module_tool/errors: base installer shared uninstaller upgrader
    puppet/module_tool/tar: gnu mini
    puppet/network: authconfig authorization client_request format format_handler format_support formats http http_pool uri
    puppet/network/http: api connection error handler issues memory_response request response route
    puppet/network/http/api: indirected_routes indirection_type master server
    puppet/network/http/api/master: v3
    puppet/network/http/api/master/v3: environments
    puppet/network/http/api/server: v3
    puppet/network/http/api/server/v3: environments
    puppet/node: environment facts server_facts:89
    puppet/pal: catalog_compiler compiler function_signature json_catalog_encoder pal_api pal_impl plan_signature script_compiler task_signature
    puppet/parameter: boolean package_options path value value_collection
    puppet/parser: abstract_compiler ast catalog_compiler compiler e4_parser_adapter files functions parser_factory relationship resource scope script_compiler templatewrapper type_loader
    puppet/parser/ast: block_expression branch hostclass leaf node pops_bridge resource resource_instance resourceparam top_level_construct
    puppet/parser/compiler: catalog_validator
    puppet/parser/compiler/catalog_validator: relationship_validator
    puppet/parser/functions: assert_type binary_file break contain create_resources defined dig digest each epp fail file filter find_file fqdn_rand generate hiera hiera_array hiera_hash hiera_include include inline_epp inline_template lest lookup map match md5 new next realize reduce regsubst require return reverse_each scanf sha1 sha256 shellquote slice split sprintf step strftime tag tagged template then type versioncmp with
    puppet/parser/resource: param
    puppet/plugins: configuration syntax_checkers
    puppet/pops: adaptable adapters issue_reporter issues label_provider loaders lookup merge_strategy patterns pcore pn puppet_stack semantic_error serialization utils validation visitable visitor
    puppet/pops/evaluator: access_operator callable_signature closure collector_transformer compare_operator deferred_resolver epp_evaluator evaluator_impl external_syntax_support json_strict_literal_evaluator literal_evaluator puppet_proc relationship_operator runtime3_converter runtime3_resource_support runtime3_support
    puppet/pops/evaluator/collectors: abstract_collector catalog_collector exported_collector fixed_set_collector
    puppet/pops/functions: dispatch dispatcher function
    puppet/pops/loader: base_loader dependency_loader gem_support generic_plan_instantiator loader loader_paths module_loaders predefined_loader puppet_function_instantiator puppet_plan_instantiator puppet_resource_type_impl_instantiator ruby_data_type_instantiator ruby_function_instantiator ruby_legacy_function_instantiator runtime3_type_loader simple_environment_loader static_loader task_instantiator type_definition_instantiator typed_name uri_helper
    puppet/pops/lookup: configured_data_provider context data_adapter data_dig_function_provider data_hash_function_provider data_provider environment_data_provider explainer function_provider global_data_provider hiera_config interpolation invocation key_recorder location_resolver lookup_adapter lookup_key lookup_key_function_provider module_data_provider sub_lookup
    puppet/pops/migration: migration_checker
    puppet/pops/model: ast ast_transformer factory model_label_provider model_tree_dumper pn_transformer tree_dumper
    puppet/pops/parser: code_merger eparser epp_parser epp_support evaluating_parser heredoc_support interpolation_support lexer2 lexer_support locatable locator parser_support pn_parser slurp_support
    puppet/pops/resource: param resource_type_impl
    puppet/pops/serialization: abstract_reader abstract_writer deserializer extension from_data_converter instance_reader instance_writer json json_path object serializer time_factory to_data_converter to_stringified_converter
    puppet/pops/time: timespan timestamp
    puppet/pops/types: annotatable annotation class_loader implementation_registry iterable p_binary_type p_init_type p_meta_type p_object_type p_object_type_extension p_runtime_type p_sem_ver_range_type p_sem_ver_type p_sensitive_type p_timespan_type p_timestamp_type p_type_set_type p_uri_type puppet_object recursion_guard ruby_generator ruby_method string_converter tree_iterators type_acceptor type_asserter type_assertion_error type_calculator type_conversion_error type_factory type_formatter type_mismatch_describer type_parser type_set_reference type_with_members types
    puppet/pops/validation: checker4_0 tasks_checker validator_factory_4_0
    puppet/property: boolean ensure keyvalue list ordered_list
    puppet/provider: aix_object command confine exec ldap nameservice network_device package package_targetable parsedfile
    puppet/provider/exec: posix shell windows
    puppet/provider/file: posix windows
    puppet/provider/group: aix directoryservice groupadd ldap pw windows_adsi
    puppet/provider/nameservice: directoryservice objectadd pw
    puppet/provider/package: aix appdmg apple apt aptitude aptrpm blastwave dnf dnfmodule dpkg fink freebsd gem hpux macports nim openbsd opkg pacman pip pip2 pip3 pkg pkgdmg pkgin pkgng pkgutil portage ports portupgrade puppet_gem puppetserver_gem rpm rug sun sunfreeware tdnf up2date urpmi windows yum zypper xbps:89
    puppet/provider/package/windows: exe_package msi_package package
    puppet/provider/service: base bsd daemontools debian freebsd gentoo init launchd openbsd openrc openwrt rcng redhat runit service smf src systemd upstart windows
    puppet/provider/user: aix directoryservice hpux ldap openbsd pw user_role_add useradd windows_adsi
    puppet/reference: configuration function indirection metaparameter providers report type
    puppet/reports: http log store
    puppet/resource: catalog status type type_collection
    puppet/resource_api: base_context:89 data_type_handling:89 glue:89 io_context:89 parameter:89 property:89 puppet_context:89 read_only_parameter:89 simple_provider:89 transport:89 type_definition:89 value_creator:89 version:89 provider_get_cache:9
    puppet/resource_api/transport: wrapper:89
    puppet/scheduler: job scheduler splay_job timer
    puppet/settings: alias_setting array_setting autosign_setting base_setting boolean_setting certificate_revocation_setting config_file directory_setting duration_setting enum_setting environment_conf errors file_or_directory_setting file_setting http_extra_headers_setting ini_file integer_setting path_setting port_setting priority_setting server_list_setting string_setting symbolic_enum_setting terminus_setting ttl_setting value_translator
    puppet/ssl: base certificate certificate_request certificate_request_attributes certificate_signer digest error oids openssl_loader ssl_context ssl_provider state_machine verifier
    puppet/syntax_checkers: base64 epp json pp
    puppet/test: test_helper
    puppet/transaction: additional_resource_generator event event_manager persistence report resource_harness
    puppet/type: component exec file filebucket group notify package resources schedule service stage tidy user whit
    puppet/type/file: checksum checksum_value content ctime data_sync ensure group mode mtime owner selcontext source target type
    puppet/util: at_fork autoload backups character_encoding checksums classgen colors command_line constant_inflector diff docs errors execution execution_stub feature file_watcher fileparsing filetype http_proxy inifile instance_loader json json_lockfile ldap libuser limits lockfile log logging metaid metric monkey_patches multi_match network_device package pidlock platform plist posix profiler provider_features psych_support rdoc reference resource_template retry_action rpm_compare rubygems run_mode selinux skip_tags splayer storage suidmanager symbolic_file_mode tag_set tagging terminal user_attr warnings watched_file watcher windows yaml
    puppet/util/at_fork: noop solaris
    puppet/util/command_line: puppet_option_parser trollop
    puppet/util/ldap: connection generator manager
    puppet/util/log: destination destinations
    puppet/util/network_device: base config transport
    puppet/util/network_device/simple: device:89
    puppet/util/network_device/transport: base
    puppet/util/package/version: debian gem pip range rpm
    puppet/util/package/version/range: eq gt gt_eq lt lt_eq min_max simple
    puppet/util/profiler: aggregate around_profiler logging object_counts wall_clock
    puppet/util/rdoc: code_objects parser
    puppet/util/rdoc/generators: puppet_generator:78
    puppet/util/rdoc/generators/template/puppet: puppet:78
    puppet/util/rdoc/parser: puppet_parser_core puppet_parser_rdoc2
    puppet/util/watcher: change_watcher periodic_watcher timer
    puppet/util/windows: access_control_entry access_control_list adsi com daemon error eventlog file principal process registry root_certs security security_descriptor service sid string user
    puppet/util/windows/monkey_patches: process
    puppet/vendor: require_vendored
    puppet/x509: cert_provider pem_store
    semantic_puppet: dependency gem_version version version_range
    semantic_puppet/dependency: graph graph_node module_release source unsatisfiable_graph
  FILES
end
