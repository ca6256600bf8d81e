#!/usr/bin/env ruby
# frozen_string_literal: true

# The reference: real Puppet, as a library, behind the `batch` protocol.
#
# One JSON job a line on stdin, one JSON result a line on stdout, in the jobs'
# order. Puppet is loaded once; each job then runs in a fork of that process, so
# that no parsed file, loaded type, defined function or once-only warning of one
# job can be seen by another. tests/oracle/README.md has the fields.
#
#   oracle.rb [--timeout SECONDS] [--cold]
#
# --cold: do not share a warmed environment between jobs of one module path.

require 'json'
require 'puppet'
require 'puppet/pops'
require 'puppet/face'
require 'puppet/application/lookup'
require 'puppet/info_service'
require 'puppet/parser'
require 'puppet/util/profiler'

module Oracle
  SILENT = File.join('/nonexistent', 'bunraku-oracle')
  # The facts about itself that a server adds; fixed, so that no two machines differ.
  SERVER_FACTS = {
    **(Puppet.respond_to?(:implementation) ? { 'serverimplementation' => Puppet.implementation } : {}),
    'serverversion' => Puppet.version,
    'servername' => 'localhost',
    'serverip' => '127.0.0.1',
  }.freeze
  # Puppet 8's defaults, for 7, too; a job's `settings` override them.
  SETTINGS = { 'strict' => 'error', 'strict_variables' => true }.freeze

  # Collects log messages.
  class Logs
    attr_reader :entries

    def initialize
      @entries = []
    end

    def <<(log)
      @entries << log
    end

    def to_data
      @entries.map { |log| Oracle.log_to_data(log) }
    end
  end

  # Which functions are called, by name; and whether a module's Ruby source defines them.
  class CallProfiler
    attr_reader :called

    def initialize
      @called = {}
    end

    def start(_description, metric)
      @called[metric[1].to_s] = true if metric.is_a?(Array) && metric[0] == :functions
    end

    def finish(*) end
  end

  class << self
    attr_accessor :function_files, :templates, :main_value, :captured

    def log_to_data(log)
      data = { 'level' => log.level.to_s, 'message' => log.to_s }
      data['file'] = log.file if log.file && !log.file.empty?
      data['line'] = log.line if log.line
      data['column'] = log.pos if log.pos
      data['source'] = log.source if log.source && log.source != 'Puppet'
      data
    end
  end
  self.function_files = {}
  self.templates = 0

  # Remembers where a function of the 4.x API was defined.
  module WatchNewFunctions
    def create_loaded_function(name, *rest, &block)
      Oracle.function_files[name.to_s] = block.source_location[0] if block
      super
    end
  end

  # The same for the 3.x API.
  module WatchOldFunctions
    def newfunction(name, options = {}, &block)
      Oracle.function_files[name.to_s] = block.source_location[0] if block
      super
    end
  end

  # Counts renderings of ERB.
  module WatchTemplates
    def result(*args)
      Oracle.templates += 1
      super
    end
  end

  # Keeps the value of the program: what its last expression gave.
  module WatchProgram
    def evaluate(scope)
      value = super
      Oracle.capture(value, scope)
      value
    end
  end

  Puppet::Functions.singleton_class.prepend(WatchNewFunctions)
  Puppet::Parser::Functions.singleton_class.prepend(WatchOldFunctions)
  Puppet::Parser::TemplateWrapper.prepend(WatchTemplates)
  Puppet::Parser::AST::PopsBridge::Program.prepend(WatchProgram)

  # Converting a value may log, and may run code; neither is part of the compile.
  def self.capture(value, scope)
    return unless captured

    result = captured
    begin
      collector = result[:logs].entries
      before = collector.length
      begin
        result[:value] = Puppet::Pops::Serialization::ToDataConverter.convert(
          value, rich_data: true, symbol_as_string: true, message_prefix: 'value'
        )
        result.delete(:value_error)
      rescue StandardError, SystemStackError => e
        result[:value_error] = e.message
      end
      begin
        result[:repr] = scope.call_function('new', [Puppet::Pops::Types::TypeFactory.string, value, '%p'])
      rescue StandardError, SystemStackError => e
        result[:repr] = nil
        result[:repr_error] = e.message
      end
      collector.slice!(before..-1)
    end
  end

  # `puppet lookup` at the end of a compile that is under way already.
  class Lookup < Puppet::Application::Lookup
    FLAGS = %w[explain explain_options sort_merged_arrays merge_hash_arrays].freeze
    NAMES = { 'knock_out_prefix' => :prefix, 'default' => :default_value }.freeze

    attr_reader :text, :status

    def initialize(query, &compile)
      super(Puppet::Util::CommandLine.new('puppet', ['lookup', *query['keys']]))
      @compile = compile
      @text = +''
      query.each do |name, value|
        next if name == 'keys' || value == false

        options[NAMES[name] || name.to_sym] = name == 'render_as' ? value.downcase.to_sym : value
      end
    end

    def generate_scope(&block)
      @compile.call(&block)
    end

    def puts(*texts)
      io = StringIO.new
      io.puts(*texts)
      @text << io.string
    end

    def exit(status)
      @status = status
      throw :exited
    end
  end

  # One compile or check.
  class Job
    # The place at the end of a message; not every error of Puppet's has it beside its text.
    PLACE = /\((?:file: (?<file>[^()\n]+?)(?:, )?)?(?:line: (?<line>\d+)(?:, column: (?<column>\d+))?)?\)(?: on node \S+)?\z/.freeze

    def initialize(job)
      @job = job
      @logs = Logs.new
      @result = { 'id' => job['id'], 'ok' => false }
    end

    def run
      Puppet::Util::Log.newdestination(Puppet::Test::LogCollector.new(@logs.entries))
      settings = SETTINGS.merge(@job['settings'] || {})
      # Which Puppet this is has been decided when it was started.
      settings.delete('compat')
      settings.each { |name, value| apply_setting(name, value) }
      Puppet[:hiera_config] = @job['hiera_config'] || File.join(SILENT, 'hiera.yaml')
      store(@job['storeconfigs']) if @job['storeconfigs']
      profiler = CallProfiler.new
      Puppet::Util::Profiler.add_profiler(profiler)
      begin
        if @job['check'] then check
        elsif @job['definitions'] then definitions
        elsif @job['classes_of'] then classes
        elsif @job['types'] then types
        else compile
        end
      rescue Exception => e # rubocop:disable Lint/RescueException
        failed(e)
      end
      @result['logs'] = @logs.to_data
      add_ruby(profiler) unless @job['check'] || @job['definitions'] || @job['classes_of'] || @job['types']
      @result
    end

    private

    def apply_setting(name, value)
      value = value.to_sym if name == 'strict'
      Puppet[name.to_sym] = value
      Puppet::Util::Log.level = value.to_sym if name == 'log_level'
    end

    # A store for exported resources: a folder of catalogs, behind the interface that PuppetDB's terminus has.
    def store(folder)
      Puppet.settings.override_default(:storeconfigs, true)
      catalogs = Dir.glob(File.join(folder, '*.json')).sort.map { |file| JSON.parse(File.read(file)) }
      oracle = self
      Puppet::Resource.indirection.define_singleton_method(:search) do |type, options|
        catalogs.reject { |catalog| catalog['name'] == options[:host] }.flat_map do |catalog|
          found = catalog['resources'].select do |resource|
            resource['exported'] && resource['type'] == type && oracle.fits?(resource, options[:filter])
          end
          found.map { |resource| oracle.collected(resource, catalog['name'], options[:scope]) }
        end
      end
    end

    public

    def fits?(resource, filter)
      left, operator, right = filter
      case operator
      when nil then true
      when 'and' then fits?(resource, left) && fits?(resource, right)
      when 'or' then fits?(resource, left) || fits?(resource, right)
      when '!=' then !fits?(resource, [left, '==', right])
      else
        case left
        when 'tag' then resource['tags'].include?(right.downcase)
        when 'title' then resource['title'] == right
        else (resource['parameters'] || {})[left] == right
        end
      end
    end

    def collected(resource, certname, scope)
      params = (resource['parameters'] || {}).map do |name, value|
        Puppet::Parser::Resource::Param.new(name: name, value: value)
      end
      item = Puppet::Parser::Resource.new(resource['type'], resource['title'], parameters: params, scope: scope)
      item.collector_id = "#{certname}|#{resource['type']}|#{resource['title']}"
      item
    end

    private

    def wants?(what)
      (@job['want'] || ['catalog']).include?(what)
    end

    def environment
      manifest = @job['manifest'] && File.expand_path(@job['manifest'])
      Puppet[:code] = @job['code'] || ''
      if @job['environment']
        from_directory(File.expand_path(@job['environment']), manifest)
      else
        name = (@job['environment_name'] || 'production').to_sym
        env = Warm.environment(name, modulepath)
        env = env.override_with(manifest: manifest) if manifest
        [env, Puppet::Environments::Static.new(env)]
      end
    end

    def from_directory(dir, manifest)
      name = (@job['environment_name'] || File.basename(dir)).to_sym
      conf = Puppet::Settings::EnvironmentConf.load_from(dir, [])
      path = @job['modulepath'] ? modulepath : conf.modulepath.split(File::PATH_SEPARATOR)
      manifest ||= @job['code'] ? Puppet::Node::Environment::NO_MANIFEST : conf.manifest
      env = Puppet::Node::Environment.create(name, path, manifest, conf.config_version)
      [env, Puppet::Environments::StaticDirectory.new(name, dir, env)]
    end

    def modulepath
      path = @job['modulepath']
      path = path.split(File::PATH_SEPARATOR) if path.is_a?(String)
      (path || []).map { |dir| File.expand_path(dir) }
    end

    def facts
      facts = @job['facts'] || {}
      facts = JSON.parse(File.read(facts)) if facts.is_a?(String)
      facts
    end

    def compile
      env, environments = environment
      name = @job['node'] || 'localhost'
      Oracle.captured = { logs: @logs } if wants?('value')
      # As an application of Puppet does: a module's Ruby may require that of any other.
      env.each_plugin_directory { |dir| $LOAD_PATH << dir unless $LOAD_PATH.include?(dir) }
      Puppet.override(environments: environments, current_environment: env, rich_data: true) do
        node = build_node(name, env)
        catalog = @job['lookup'] ? look_up(node) : compile_node(node)
        catalog = catalog.filter(&:virtual?)
        check_cycles(catalog, name) if @job['check_cycles']
        @result['ok'] = true
        @result['catalog'] = encodable(catalog.to_data_hash) if wants?('catalog')
      end
      add_value
    end

    # What an agent would say of dependency cycles, without its advice to draw a graph.
    def check_cycles(catalog, name)
      graph = catalog.to_ral.relationship_graph
      before = @logs.entries.length
      return unless graph.report_cycles_in_graph

      message = @logs.entries.slice!(before..-1).map(&:to_s).join
      message = message[/\A.*?(?=\\nTry the)/m].gsub('\\n', "\n")
      raise Puppet::Error, "#{message} on node #{name}"
    end

    # NaN and the like cannot be sent to an agent: that is an error of this compile.
    def encodable(data)
      JSON.generate(data)
      data
    end

    def add_value
      seen = Oracle.captured
      return unless seen

      @result['value'] = seen[:value]
      @result['repr'] = seen[:repr]
      %i[value_error repr_error].each { |key| @result[key.to_s] = seen[key] if seen[key] }
    end

    def build_node(name, env)
      values = Puppet::Node::Facts.new(name, facts)
      node = Puppet::Node.new(
        name, environment: env, parameters: (@job['parameters'] || {}).dup, classes: @job['classes'] || []
      )
      node.fact_merge(values)
      trusted = @job['trusted'] || Puppet::Context::TrustedInformation.new('local', name, {}, {}).to_h
      node.trusted_data = deep_freeze(trusted)
      node.add_server_facts(@job['server_facts'] || SERVER_FACTS)
      node
    end

    def deep_freeze(value)
      case value
      when Hash then value.each { |k, v| deep_freeze(k) && deep_freeze(v) }
      when Array then value.each { |v| deep_freeze(v) }
      end
      value.freeze
    end

    def look_up(node)
      catalog = nil
      app = Lookup.new(@job['lookup']) do |&block|
        compiler = Puppet::Parser::Compiler.new(node)
        compiler.compile { |made| catalog = made; block.call(compiler.topscope); made }
      end
      catch(:exited) { app.main }
      @result['lookup'] = { 'found' => app.status.zero?, 'text' => app.text }
      catalog || Puppet::Resource::Catalog.new
    end

    # Puppet logs the error that ends a compile; the result has it under `error` already.
    def compile_node(node)
      Puppet::Parser::Compiler.compile(node)
    rescue Exception => e # rubocop:disable Lint/RescueException
      last = @logs.entries.last
      texts = [e.message, (e.basic_message if e.respond_to?(:basic_message))]
      @logs.entries.pop if last && last.level == :err && texts.include?(last.to_s)
      raise
    end

    def failed(error)
      @result['ok'] = false
      @result.delete('catalog')
      @result['error'] = error_to_data(error)
    end

    def error_to_data(error)
      data = { 'message' => error.message.to_s.scrub }
      place = located(error)
      if place
        data['file'] = place.file.to_s unless place.file.to_s.empty?
        data['line'] = place.line if place.line
        data['column'] = place.pos if place.respond_to?(:pos) && place.pos
      elsif (found = PLACE.match(error.message.to_s.scrub))
        data['file'] = found[:file] if found[:file]
        data['line'] = found[:line].to_i if found[:line]
        data['column'] = found[:column].to_i if found[:column]
      end
      coded = [error, error.cause].compact.find { |e| e.respond_to?(:issue_code) && e.issue_code }
      data['code'] = coded.issue_code.to_s if coded
      data['class'] = error.class.name unless error.is_a?(Puppet::Error)
      data
    end

    def located(error)
      [error, error.cause].compact.find { |e| e.respond_to?(:line) && (e.line || e.file) }
    end

    # What `puppet parser validate` and `puppet epp validate` say.
    def check
      path = File.expand_path(@job['check'])
      env = Puppet::Node::Environment.create(:production, modulepath)
      Puppet.override(environments: Puppet::Environments::Static.new(env), current_environment: env) do
        if path.end_with?('.epp')
          Puppet::Face[:epp, :current].validate_template(path)
        else
          Puppet[:code] = ''
          error = Puppet::Face[:parser, :current].validate_manifest(path)
          Puppet.log_exception(error) if error
        end
      end
      errors = @logs.entries.select { |log| log.level == :err }
      @result['errors'] = errors.map { |log| Oracle.log_to_data(log).reject { |key, _| key == 'level' } }
      @result['ok'] = errors.empty?
    end

    # The classes and defined types a manifest holds, for listing a module tree.
    def definitions
      model = Puppet::Pops::Parser::Parser.new.parse_file(File.expand_path(@job['definitions'])).model
      @result['ok'] = true
      @result['definitions'] = model.definitions.map do |item|
        { 'kind' => item.class.name.split('::').last, 'name' => (item.name if item.respond_to?(:name)) }
      end
    end

    # The classes that manifests hold, as consoles are told of them; a server has compiled something before it is asked.
    def classes
      Puppet::Pops::Loaders.static_loader.runtime_3_init
      told = Puppet::InfoService.classes_per_environment('it' => @job['classes_of'])['it']
      @result['ok'] = true
      @result['classes'] = @job['classes_of'].map { |file| told[file] }
    end

    # What loaded resource types say of themselves; null for what is none.
    def types
      env, environments = environment
      env.each_plugin_directory { |dir| $LOAD_PATH << dir unless $LOAD_PATH.include?(dir) }
      Puppet.override(environments: environments, current_environment: env) do
        @result['types'] = @job['types'].to_h { |name| [name, type(name)] }
      end
      @result['ok'] = true
    end

    def type(name)
      type = Puppet::Type.type(name)
      return nil unless type

      {
        'namevars' => type.key_attributes.map(&:to_s),
        'attributes' => (type.properties.map(&:name) + type.parameters).map(&:to_s).sort,
        'isomorphic' => type.isomorphic?,
        'titles' => titles(type),
      }
    rescue Exception => e # rubocop:disable Lint/RescueException
      { 'error' => e.message }
    end

    def titles(type)
      type.title_patterns.map { |regexp, names| [regexp.to_s, names.map { |name, *| name.to_s }] }
    rescue StandardError => e
      e.message
    end

    def add_ruby(profiler)
      roots = @roots || module_roots
      names = profiler.called.keys.select do |name|
        file = Oracle.function_files[name]
        file && roots.any? { |root| file.start_with?(root) }
      end
      @result['ruby'] = { 'functions' => names.sort, 'templates' => Oracle.templates }
    end

    def module_roots
      roots = modulepath
      roots += [File.expand_path(@job['environment'])] if @job['environment']
      roots.flat_map { |root| [root, *links(root)] }.map { |root| "#{root}/" }
    end

    def links(root)
      Dir.glob(File.join(root, '*')).select { |path| File.symlink?(path) }.map { |path| File.realpath(path) }
    end
  end

  # Environments whose modules have been listed and whose metadata has been read, before
  # any fork: the same for every job of a module path, and nothing a manifest can change.
  module Warm
    @environments = {}

    class << self
      attr_accessor :off

      def prepare(job)
        return if off || job['environment'] || !job['modulepath']

        path = job['modulepath']
        path = path.split(File::PATH_SEPARATOR) if path.is_a?(String)
        path = path.map { |dir| File.expand_path(dir) }
        name = (job['environment_name'] || 'production').to_sym
        @environments[[name, path]] ||= silent(Puppet::Node::Environment.create(name, path))
      rescue StandardError
        nil # the job itself will say what is wrong
      end

      # The environment with its modules listed; none where that is worth a message, which is then the job's own.
      def silent(env)
        logs = []
        collector = Puppet::Test::LogCollector.new(logs)
        Puppet::Util::Log.newdestination(collector)
        env.modules.each { |mod| mod.dependencies_as_modules if mod.respond_to?(:dependencies_as_modules) }
        logs.empty? ? env : nil
      ensure
        Puppet::Util::Log.close(collector)
        Puppet.clear_deprecation_warnings
        Puppet::Util::Warnings.clear_warnings
      end

      def environment(name, path)
        @environments[[name, path]] || Puppet::Node::Environment.create(name, path)
      end
    end
  end

  # Runs one job in a child and gives its result line, whatever becomes of the child.
  def self.fork_job(job, timeout)
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      $stdout.reopen($stderr)
      $stdin.reopen('/dev/null')
      line = begin
        JSON.generate(Job.new(job).run)
      rescue Exception => e # rubocop:disable Lint/RescueException
        JSON.generate('id' => job['id'], 'ok' => false, 'logs' => [],
                      'error' => { 'message' => "#{e.class}: #{e.message}".scrub })
      end
      writer.write(line)
      writer.close
      exit!(0)
    end
    writer.close
    line = read_all(reader, pid, timeout)
    Process.wait(pid)
    line.empty? ? JSON.generate(failure(job['id'], "the job died: #{$?.inspect.sub(/pid \d+ /, '')}")) : line
  end

  def self.read_all(reader, pid, timeout)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + timeout
    text = +''
    loop do
      left = deadline - Process.clock_gettime(Process::CLOCK_MONOTONIC)
      if left <= 0 || !reader.wait_readable(left)
        Process.kill(:KILL, pid)
        return ''
      end
      chunk = reader.read_nonblock(1 << 20, exception: false)
      return text if chunk.nil?

      text << chunk unless chunk == :wait_readable
    end
  end

  def self.failure(id, message)
    { 'id' => id, 'ok' => false, 'logs' => [], 'error' => { 'message' => message } }
  end

  def self.main(args)
    timeout = 120
    until args.empty?
      case (flag = args.shift)
      when '--timeout' then timeout = Float(args.shift)
      when '--cold' then Warm.off = true
      else abort("oracle.rb: unknown argument #{flag}")
      end
    end
    start_puppet
    $stdin.set_encoding('UTF-8')
    $stdout.sync = true
    $stdin.each_line do |line|
      next if line.strip.empty?

      $stdout.puts(answer(line, timeout))
    end
  end

  def self.answer(line, timeout)
    job = JSON.parse(line)
    return JSON.generate(failure(nil, 'a job is a JSON object')) unless job.is_a?(Hash)

    Warm.prepare(job)
    fork_job(job, timeout)
  rescue JSON::ParserError => e
    JSON.generate(failure(nil, "not JSON: #{e.message}"))
  end

  # The modules that packages of Puppet bring along for their resource types. Debian 12's brings none: those of 8, which
  # `fetch.sh` gets, stand in.
  def self.vendored_types
    root = ENV['ORACLE_ROOT'] || File.join(__dir__, '../../.cache/oracles/8')
    Dir.glob(File.join(File.expand_path(root), 'usr/share/puppet/vendor_modules/*/lib')).sort
  end

  # What every job would load again: the settings, and the types Puppet ships.
  def self.start_puppet
    require 'io/wait'
    Puppet.initialize_settings(['--no-daemonize'], false)
    Puppet::Util::Log.close_all
    env = Puppet::Node::Environment.create(:production, [])
    Puppet.override(environments: Puppet::Environments::Static.new(env), current_environment: env) do
      Puppet::Type.loadall
      # Each job looks for these itself: a module of its own goes first.
      vendored_types.each { |lib| $LOAD_PATH << lib }
      Puppet[:code] = '$x = String.new(1, "%p") notify { "warm": } file { "/warm": } [1].each |$y| { }'
      node = Puppet::Node.new('warm', environment: env)
      Puppet::Parser::Compiler.compile(node)
    end
    Puppet::Util::Log.close_all
    Puppet.clear_deprecation_warnings
    Puppet::Util::Warnings.clear_warnings
    Oracle.function_files = {}
    Oracle.templates = 0
    GC.start
  end
end

Oracle.main(ARGV.dup) if $PROGRAM_NAME == __FILE__
