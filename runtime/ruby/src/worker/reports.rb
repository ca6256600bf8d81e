# Report processors of modules, and reports as they see them: a processor is a module that a report is extended by.

module Puppet
  # The processors, by their names.
  class Reports
    @known = {}

    class << self
      # Defines a processor: the block is the body of its module.
      def register_report(name, options = {}, &block)
        name = name.intern
        mod = ::Module.new
        constant = name.to_s.capitalize
        remove_const(constant) if const_defined?(constant, false)
        const_set(constant, mod)
        mod.extend(Puppet::Util::Docs, Description)
        mod.define_singleton_method(:name) { name }
        @known[name] = mod
        mod.module_eval(&block) if block
        mod.useyaml = true if options[:useyaml]
        mod.define_method(:report_name) { name }
      end

      def report(name)
        @known[name.intern]
      end
    end

    # What the block may say of its processor.
    module Description
      attr_reader :doc

      def desc(text)
        @doc = text
      end
    end
  end

  module Util
    # Words that resources and logs are found by.
    class TagSet < ::Set
      def join(*separator)
        to_a.join(*separator)
      end

      def to_data_hash
        to_a
      end
    end

    # What has tags.
    module Tagging
      def tags
        (@tags ||= TagSet.new).dup
      end

      def tagged?(*names)
        names.any? { |name| tags.include?(name.to_s.downcase) }
      end
    end

    # Writes itself as YAML by its data, under the name of its class.
    module PsychSupport
      def encode_with(coder)
        coder.tag = "!ruby/object:#{self.class.name}"
        to_data_hash.each { |key, value| coder[key] = value }
      end
    end

    # A group of numbers: each with its name and a label.
    class Metric
      include PsychSupport

      attr_accessor :type, :name, :value, :label
      attr_writer :values

      def self.labelize(name)
        name.to_s.capitalize.tr('_', ' ')
      end

      def initialize(name, label = nil)
        @name = name.to_s
        @label = label || Metric.labelize(name)
        @values = []
      end

      def self.from_data_hash(data)
        new(data['name'], data['label']).tap { |metric| metric.values = data['values'] }
      end

      def newvalue(name, value, label = nil)
        raise ArgumentError, "metric name #{name.inspect} is not a string" unless name.is_a?(String)
        @values << [name, label || Metric.labelize(name), value]
      end

      def values
        @values.sort_by { |value| value[1] }
      end

      # The number of a name; 0 where there is none.
      def [](name)
        found = @values.find { |value| value[0] == name }
        found ? found[2] : 0
      end

      def to_data_hash
        { 'name' => @name, 'label' => @label, 'values' => @values }
      end
    end

    # A line of an agent's log.
    class Log
      include Tagging
      include PsychSupport

      attr_accessor :time, :file, :line, :pos, :source, :issue_code, :environment, :node, :backtrace
      attr_reader :level, :message

      def self.from_data_hash(data)
        allocate.tap { |log| log.send(:take, data) }
      end

      # What code logs without `Puppet.notice` and its like; a source of its own is not shown.
      def self.create(options)
        level, message = options.values_at(:level, :message)
        raise Puppet::DevError, 'Logs require a level' unless level
        raise ArgumentError, 'Puppet::Util::Log requires a message' unless message
        raise Puppet::DevError, "Invalid log level #{level}" unless Puppet::LEVELS.include?(level)
        Puppet.public_send(level, message.to_s)
      end

      def to_s
        message
      end

      def to_report
        "#{time} #{source} (#{level}): #{self}"
      end

      def to_data_hash
        { 'level' => @level.to_s, 'message' => to_s, 'source' => @source, 'tags' => @tags.to_a, 'time' => @time.iso8601(9),
          'file' => @file, 'line' => @line }
      end
      alias to_hash to_data_hash

      private

      def take(data)
        @level = data['level'].intern
        @message = data['message']
        @source = data['source']
        @tags = TagSet.new(data['tags'])
        @time = Bunraku::ReportData.time(data['time'])
        # Only what is there, or YAML and `inspect` would show it.
        @file = data['file'] if data['file']
        @line = data['line'] if data['line']
      end
    end
  end

  class Transaction
    # What has become of one property of a resource.
    class Event
      include Util::Tagging
      include Util::PsychSupport

      ATTRIBUTES = %i[name resource property previous_value desired_value historical_value status message file line
                      source_description audited invalidate_refreshes redacted corrective_change].freeze
      attr_accessor(*ATTRIBUTES, :time)

      def self.from_data_hash(data)
        allocate.tap { |event| event.send(:take, data) }
      end

      def to_s
        message
      end

      def inspect
        "#<#{self.class.name} @name=\"#{@name.inspect}\" @message=\"#{@message.inspect}\">"
      end

      def ==(other)
        self.class == other.class && ATTRIBUTES.all? { |name| send(name).eql?(other.send(name)) }
      end
      alias eql? ==

      def to_data_hash
        { 'audited' => @audited, 'property' => @property, 'previous_value' => @previous_value,
          'desired_value' => @desired_value, 'historical_value' => @historical_value, 'message' => @message,
          'name' => @name && @name.to_s, 'status' => @status, 'time' => @time.iso8601(9), 'redacted' => @redacted,
          'corrective_change' => @corrective_change }
      end

      private

      def take(data)
        Bunraku::ReportData.take(self, data, %w[audited property previous_value desired_value historical_value message status
                                                corrective_change])
        @name = data['name'] && data['name'].intern
        @redacted = data.fetch('redacted', false)
        @time = Bunraku::ReportData.time(data['time'])
      end
    end

    # What an agent tells of a run.
    class Report
      include Util::PsychSupport

      TOTAL = 'total'.freeze
      FIELDS = %w[host time configuration_version transaction_uuid report_format puppet_version status transaction_completed
                  noop noop_pending environment logs metrics resource_statuses corrective_change].freeze
      # Those that are told only where they are known.
      OPTIONAL = %w[server_used catalog_uuid code_id job_id cached_catalog_status].freeze

      attr_accessor :configuration_version, :transaction_uuid, :code_id, :job_id, :catalog_uuid, :cached_catalog_status,
                    :server_used, :host, :environment, :initial_environment, :noop_pending, :resources_failed_to_generate,
                    :transaction_completed
      attr_reader :resource_statuses, :logs, :metrics, :time, :status, :puppet_version, :report_format, :noop,
                  :corrective_change

      def self.from_data_hash(data)
        allocate.tap { |report| report.send(:take, data) }
      end

      def name
        host
      end

      def <<(log)
        @logs << log
        self
      end

      def to_data_hash
        hash = FIELDS.to_h { |name| [name, instance_variable_get("@#{name}")] }
        hash['time'] = @time.iso8601(9)
        hash['logs'] = @logs.map(&:to_data_hash)
        hash['metrics'] = @metrics.transform_values(&:to_data_hash)
        hash['resource_statuses'] = told_statuses.transform_values { |status| status && status.to_data_hash }
        OPTIONAL.each do |name|
          value = instance_variable_get("@#{name}")
          hash[name] = value unless value.nil?
        end
        hash
      end

      # Whether there is nothing to tell of a resource.
      def resource_unchanged?(status)
        %i[failed failed_to_restart out_of_sync skipped].none? { |state| status.send(state) }
      end

      # A number of bits: 2 where something has changed, 4 where something has failed; -1 where that is not known.
      def exit_status
        numbers = [%w[changes total], %w[resources failed], %w[resources failed_to_restart]].map do |name, key|
          @metrics[name] && @metrics[name][key]
        end
        return -1 unless numbers.all?
        changes, *failures = numbers
        (changes.positive? ? 2 : 0) | (failures.any?(&:positive?) ? 4 : 0)
      end

      # All numbers by their names.
      def raw_summary
        summary = {
          'version' => { 'config' => configuration_version, 'puppet' => Puppet.version },
          'application' => { 'run_mode' => Puppet.run_mode.name.to_s, 'initial_environment' => initial_environment,
                             'converged_environment' => environment }
        }
        @metrics.each_value do |metric|
          key = metric.name.to_s
          summary[key] = metric.values.to_h { |name, _label, value| [name.to_s, value] }
          summary[key][TOTAL] = 0 unless key == 'time' || summary[key].key?(TOTAL)
        end
        (summary['time'] ||= {})['last_run'] = Time.now.tv_sec
        summary
      end

      # The same as text.
      def summary
        raw_summary.sort_by { |group, _| group.to_s }.map do |group, numbers|
          rows = numbers.sort_by { |name, value| [name == TOTAL ? 1 : 0, value.to_s] }.reject { |_, value| value == 0 }
          rows = rows.map do |name, value|
            value = format('%0.2f', value) if value.is_a?(Float)
            format("   %15s %s\n", "#{Util::Metric.labelize(name)}:", value)
          end
          "#{Util::Metric.labelize(group)}:\n#{rows.join}"
        end.join
      end

      private

      def told_statuses
        return @resource_statuses unless Puppet[:exclude_unchanged_resources]
        @resource_statuses.reject { |_, status| resource_unchanged?(status) }
      end

      def take(data)
        Bunraku::ReportData.take(self, data, FIELDS - %w[time logs metrics resource_statuses])
        Bunraku::ReportData.take(self, data.slice(*OPTIONAL), OPTIONAL & data.keys)
        @time = Bunraku::ReportData.time(data['time'])
        @metrics = data['metrics'].transform_values { |metric| Util::Metric.from_data_hash(metric) }
        @logs = data['logs'].map { |log| Util::Log.from_data_hash(log) }
        @resource_statuses = data['resource_statuses'].transform_values do |status|
          status && Puppet::Resource::Status.from_data_hash(status)
        end
      end
    end
  end

  class Resource
    # What has become of a resource.
    class Status
      include Util::Tagging
      include Util::PsychSupport

      STATES = %i[skipped failed failed_to_restart restarted changed out_of_sync scheduled corrective_change].freeze
      FIELDS = %w[title file line resource resource_type provider_used containment_path evaluation_time tags time failed
                  failed_to_restart changed out_of_sync skipped change_count out_of_sync_count events
                  corrective_change].freeze
      attr_accessor(*STATES, :file, :line, :evaluation_time, :provider_used, :failed_dependencies)
      attr_reader :source_description, :containment_path, :time, :resource, :change_count, :out_of_sync_count,
                  :resource_type, :title, :events

      STATES.each { |state| define_method("#{state}?") { send(state) ? true : false } }

      def self.from_data_hash(data)
        allocate.tap { |status| status.send(:take, data) }
      end

      def dependency_failed?
        failed_dependencies && !failed_dependencies.empty?
      end

      def to_data_hash
        hash = FIELDS.to_h { |name| [name, instance_variable_get("@#{name}")] }
        hash.merge('tags' => @tags.to_a, 'time' => @time.iso8601(9), 'failed_to_restart' => failed_to_restart?,
                   'events' => @events.map(&:to_data_hash))
      end

      private

      def take(data)
        Bunraku::ReportData.take(self, data, FIELDS - %w[tags time events])
        @tags = Util::TagSet.new(data['tags'])
        @time = Bunraku::ReportData.time(data['time'])
        @events = data['events'].map { |event| Transaction::Event.from_data_hash(event) }
      end
    end
  end
end

module Bunraku
  # How the parts of a report are read from data.
  module ReportData
    class << self
      def take(object, data, names)
        names.each { |name| object.instance_variable_set("@#{name}", data[name]) }
      end

      def time(value)
        value.is_a?(String) ? ::Time.parse(value) : value
      end
    end
  end

  class << self
    # Hands a report to a processor, whose errors are logged: Puppet's words.
    def process_report(name, file, text)
      serve_reports
      begin
        Kernel.load(file)
      rescue LoadError, StandardError, SyntaxError => error
        raise Puppet::Error, "Could not autoload puppet/reports/#{name}: #{error}"
      end
      processor = Puppet::Reports.report(name)
      unless processor
        Puppet.warning("Loaded report file for #{name} but report was not defined")
        Puppet.warning("No report named '#{name}'")
        return nil
      end
      report = Puppet::Transaction::Report.from_data_hash(::JSON.parse(text))
      begin
        report.extend(processor)
        report.process
      rescue StandardError => error
        Puppet.err("Report processor failed: #{error}")
      end
      nil
    end

    private

    # What is otherwise in a server that takes reports in than in a compile.
    def serve_reports
      require 'time'
      Puppet::RunMode.define_singleton_method(:name) { :server }
      Puppet::RunMode.define_singleton_method(:server?) { true }
      # Makes the folders of a section of settings: that of reports has none.
      Puppet::Settings.define_singleton_method(:use) do |*sections|
        others = sections - [:reporting]
        raise Bunraku::Missing.new("Puppet.settings.use(:#{others.first}) is not supported", :use) if others.any?
      end
    end
  end
end
