# frozen_string_literal: true

module RspecPuppetBunraku
  # Whether the suite has changed Puppet by Ruby of its own, which the process of Bunraku can't see: functions and types
  # defined in specs, methods stubbed, variables of the environment. Such an example is Puppet's.
  module OwnRuby
    # What rspec-puppet and puppetlabs_spec_helper stub for every example: whether there is SELinux, and who runs the suite.
    HARMLESS = [['Selinux', :is_selinux_enabled], ['an object of Puppet::Util::Feature', :root?]].freeze
    # The settings of rspec-puppet that change how Puppet looks data up, with the values that change nothing.
    LOOK_UPS = { disable_module_hiera: [nil, false], use_fixture_spec_hiera: [nil, false], fixture_hiera_configs: [nil, {}] }.freeze

    class << self
      # Why Puppet must compile this example; nil where nothing is in the way.
      def reason(example_group)
        @outside || @inside || stubs || environment || look_ups(example_group)
      end

      # What is noted of an example ends with it.
      def forget
        @inside = nil
      end

      # Notes that Ruby of the suite has defined something: for this example, or for all where none is running. Those do not
      # show it, so what is told says where it is.
      def defined(what)
        frame = frame_of_suite
        return unless frame
        return @inside ||= what if RSpec.current_example

        place = "#{RSpec::Core::Metadata.relative_path(frame.absolute_path || frame.path)}:#{frame.lineno}"
        @outside ||= "#{what}, outside of an example, at #{place}"
      end

      # The environment as it is when the first group of examples begins, which the process of Bunraku has, too.
      def environment_of_suite
        @environment_of_suite ||= ENV.to_h
      end

      # An object as a summary names it: equal in each run.
      def name_of(object)
        return object.name || 'an unnamed class' if object.is_a?(Module)

        "an object of #{object.class.name || 'an unnamed class'}"
      end

      private

      # Where the suite defines something; nil where it comes from a file that Puppet has loaded from a module or from itself: that,
      # Bunraku loads, too. Other libraries may stand between; a file of the suite decides, or else it is who has called.
      def frame_of_suite
        frames = caller_locations(2).reject { |frame| (frame.absolute_path || frame.path).start_with?(__dir__) }
        frames.each do |frame|
          path = frame.absolute_path || frame.path
          return nil if path.start_with?(PUPPET) || path.match?(%r{/lib/puppet/(parser/functions|functions|type|datatypes)/})
          return frame if path.match?(%r{/spec/|_spec\.rb\z|/spec_helper})
        end
        frames.first
      end

      def stubs
        rspec_stubs || mocha_stubs
      end

      def rspec_stubs
        return unless defined?(RSpec::Mocks) && (space = RSpec::Mocks.space).respond_to?(:proxies)
        return 'stubs any instance of a class' unless space.any_instance_recorders.empty?
        return 'stubs a constant' unless (space.instance_variable_get(:@constant_mutators) || []).empty?

        space.proxies.each_value do |proxy|
          next unless proxy.is_a?(RSpec::Mocks::PartialDoubleProxy)

          harmful = stubbed_methods(proxy).find { |method| !harmless?(proxy.object, method) }
          return "stubs #{harmful} of #{name_of(proxy.object)}" if harmful
        end
        nil
      end

      # The methods that are replaced: one that has been asked for and nothing more has no stubs.
      def stubbed_methods(proxy)
        doubles = proxy.instance_variable_get(:@method_doubles) || {}
        doubles.filter_map { |name, double| name if double.stubs.any? || double.expectations.any? }
      end

      def harmless?(object, method)
        HARMLESS.include?([name_of(object), method.to_sym])
      end

      def mocha_stubs
        # Where Mocha is loaded and is not what the suite stubs with, it has nothing to ask: its class keeps what it has once
        # an example has been set up.
        return unless defined?(Mocha::Mockery) && Mocha::Mockery.instance_variables.any?
        return unless (mockery = Mocha::Mockery.instance).respond_to?(:stubba)

        found = (mockery.stubba.stubba_methods || []).find { |stub| !harmless?(stub.stubbee, stub.method_name) }
        "stubs #{found.method_name} of #{name_of(found.stubbee)}" if found
      end

      def environment
        return if ENV.to_h == environment_of_suite

        'changes the environment'
      end

      def look_ups(example_group)
        changed = LOOK_UPS.find do |name, usual|
          RSpec.configuration.respond_to?(name) && !usual.include?(RSpec.configuration.send(name))
        end
        return "sets #{changed.first}" if changed

        'has hiera_data' if example_group.respond_to?(:hiera_data) && example_group.hiera_data
      end
    end

    # Where Puppet's own Ruby lies.
    PUPPET = File.dirname(Puppet.method(:version).source_location.first)

    # In front of the methods by which Ruby defines functions and types.
    module Definitions
      %i[newfunction create_function create_loaded_function newtype newdatatype create_type].each do |name|
        define_method(name) do |*arguments, **named, &block|
          OwnRuby.defined("defines #{arguments.first} in Ruby of its own")
          super(*arguments, **named, &block)
        end
      end
    end

    # Only those that a module really has are put in front.
    def self.watch(target)
      names = Definitions.instance_methods.select { |name| target.respond_to?(name) }
      watched = Definitions.dup
      (Definitions.instance_methods - names).each { |name| watched.send(:remove_method, name) }
      target.singleton_class.prepend(watched)
    end
  end
end
