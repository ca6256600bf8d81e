#!/usr/bin/env ruby
# frozen_string_literal: true

# Warm compiles of real Puppet in one process, timed from inside.
#
# One JSON object a line on stdin: a job as oracle.rb takes it with an `id`, to make it known; or
# `{"run": ID}`, to compile it once. A line out for each: `{"ok": true}`, or the seconds that the
# compile took, those of them spent in ERB, and the catalog's size. What a compile is here: from the node to the bytes of JSON
# that an agent is sent; code that has been read is kept, as a server keeps it.

require_relative 'oracle'

module Oracle
  # How long templates take, those within others counted once.
  module TimeTemplates
    class << self
      attr_accessor :seconds, :depth
    end
    self.seconds = 0.0
    self.depth = 0

    def result(*args)
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      TimeTemplates.depth += 1
      super
    ensure
      TimeTemplates.depth -= 1
      if TimeTemplates.depth.zero?
        TimeTemplates.seconds += Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
      end
    end
  end
  Puppet::Parser::TemplateWrapper.prepend(TimeTemplates)

  # A job whose environment is kept between compiles.
  class WarmJob < Job
    def prepare
      SETTINGS.merge(@job['settings'] || {}).each { |name, value| apply_setting(name, value) }
      Puppet[:hiera_config] = @job['hiera_config'] || File.join(SILENT, 'hiera.yaml')
      @code = @job['code'] || ''
      @env, @environments = environment
      @env.each_plugin_directory { |dir| $LOAD_PATH << dir unless $LOAD_PATH.include?(dir) }
      self
    end

    # Puppet adds to the facts it is given, and freezes them.
    def facts
      Marshal.load(Marshal.dump(super))
    end

    def measure
      Puppet[:code] = @code
      Puppet.override(environments: @environments, current_environment: @env, rich_data: true) do
        GC.start
        TimeTemplates.seconds = 0.0
        started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        catalog = Puppet::Parser::Compiler.compile(build_node(@job['node'] || 'localhost', @env))
        text = JSON.generate(catalog.filter(&:virtual?).to_data_hash)
        seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
        { 'seconds' => seconds, 'templates' => TimeTemplates.seconds, 'resources' => catalog.resources.length, 'bytes' => text.bytesize }
      end
    end
  end

  def self.warm
    start_puppet
    $stdin.set_encoding('UTF-8')
    $stdout.sync = true
    jobs = {}
    $stdin.each_line do |line|
      job = JSON.parse(line)
      answer = begin
        if job['run']
          jobs.fetch(job['run']).measure
        else
          jobs[job['id']] = WarmJob.new(job).prepare
          { 'ok' => true }
        end
      rescue Exception => e # rubocop:disable Lint/RescueException
        { 'error' => "#{e.class}: #{e.message}" }
      end
      $stdout.puts(JSON.generate(answer))
    end
  end
end

Oracle.warm if $PROGRAM_NAME == __FILE__
