# What functions use of Puppet to reach the machine: files, and commands with their output.

module Puppet
  # Files by path or Pathname.
  module FileSystem
    extend Bunraku::Gaps

    class << self
      def pathname(path)
        path.is_a?(Pathname) ? path : Pathname.new(path)
      end

      def assert_path(path)
        return path if path.is_a?(Pathname)
        raise ArgumentError, "FileSystem implementation expected Pathname, got: '#{path.class}'" unless path.is_a?(String)
        Pathname.new(path)
      end

      def path_string(path)
        path.to_s
      end

      def open(path, mode, options, &block)
        ::File.open(assert_path(path), options, mode, &block)
      end

      def dir(path)
        assert_path(path).dirname
      end

      def dir_string(path)
        dir(path).to_s
      end

      def dir_exist?(path)
        dir(path).exist?
      end

      def dir_mkpath(path)
        mkpath(dir(path))
      end

      def basename(path)
        assert_path(path).basename
      end

      def basename_string(path)
        basename(path).to_s
      end

      def each_line(path, &block)
        ::File.open(assert_path(path)) { |file| file.each_line(&block) }
      end

      def read(path, opts = {})
        assert_path(path).read(**opts)
      end

      def read_preserve_line_endings(path)
        read(path, encoding: 'bom|utf-8')
      end

      def binread(path)
        assert_path(path).binread
      end

      def mkpath(path)
        assert_path(path).mkpath
      end

      def touch(path, mtime: nil)
        FileUtils.touch(assert_path(path), mtime: mtime)
      end

      def children(path)
        assert_path(path).children
      end

      def symlink(path, dest, options = {})
        FileUtils.symlink(assert_path(path), dest, **options)
      end

      def unlink(*paths)
        ::File.unlink(*paths.map { |path| assert_path(path) })
      end

      %i[exist? directory? file? executable? writable? symlink? readlink stat lstat size].each do |name|
        define_method(name) do |path|
          found = assert_path(path).public_send(name)
          name == :readlink ? found.to_s : found
        end
      end

      def expand_path(path, folder = nil)
        ::File.expand_path(path, folder)
      end

      def compare_stream(path, stream)
        FileUtils.compare_stream(assert_path(path).open, stream)
      end

      def chmod(mode, path)
        FileUtils.chmod(mode, assert_path(path))
      end

      def exclusive_create(path, mode, &block)
        ::File.open(assert_path(path), ::File::CREAT | ::File::EXCL | ::File::WRONLY, mode, &block)
      end

      def exclusive_open(path, mode, options = 'r', timeout = 300)
        Timeout.timeout(timeout) do
          open(path, mode, options) do |file|
            file.flock(::File::LOCK_EX)
            yield file
          end
        end
      end
    end
  end

  module Util
    # Commands.
    module Execution
      extend Bunraku::Gaps

      # Output with the status it came with.
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(text, status)
          super(text)
          @exitstatus = status
        end
      end

      # Who gives no options gets those that fail.
      UNSAID = {}.freeze
      LOCALE = %w[LANG LC_ALL LC_MESSAGES LANGUAGE LC_COLLATE LC_CTYPE LC_MONETARY LC_NUMERIC LC_TIME].freeze
      USER = %w[HOME USER LOGNAME].freeze

      class << self
        def execute(command, options = UNSAID)
          said = !UNSAID.equal?(options)
          options = { failonfail: !said, combine: !said, override_locale: true, custom_environment: {} }.merge(options)
          command = command.flatten.map(&:to_s) if command.is_a?(Array)
          shown = options[:sensitive] ? '[redacted]' : [*command].join(' ')
          if options[:cwd] && !File.directory?(options[:cwd])
            raise ArgumentError, "Working directory #{options[:cwd]} does not exist!"
          end
          text, status = run(command, options)
          if options[:failonfail] && status != 0
            raise Puppet::ExecutionFailure, "Execution of '#{shown}' returned #{status}: #{options[:sensitive] ? '[redacted]' : text.strip}"
          end
          ProcessOutput.new(text, status)
        end
        alias util_execute execute

        def execpipe(command, failonfail = true)
          line = command.respond_to?(:join) ? command.join(' ') : command
          output = IO.popen({ 'LANG' => 'C', 'LC_ALL' => 'C' }, "#{line} 2>&1") { |pipe| yield pipe }
          raise Puppet::ExecutionFailure, output.to_s if failonfail && !$?.success?
          output
        end

        private

        def run(command, options)
          words = [*command]
          input = options[:stdinfile] || '/dev/null'
          reader, writer = IO.pipe
          output = options[:squelch] ? File.open('/dev/null', 'w') : writer
          errors = options[:combine] ? output : '/dev/null'
          streams = { in: input.to_s, out: output, err: errors }
          streams[:chdir] = options[:cwd].to_s if options[:cwd]
          pid = Process.spawn(environment(options), *words, **streams)
          writer.close
          text = reader.read.force_encoding(Encoding.default_external)
          [text, Process.wait2(pid)[1].exitstatus]
        rescue SystemCallError
          # A process that can't be what it should ends with 1; Puppet's says why in its own log, not in its output.
          ['', 1]
        ensure
          [reader, writer].each { |io| io&.close }
        end

        def environment(options)
          wanted = {}
          if options.fetch(:override_locale, true)
            LOCALE.each { |name| wanted[name] = nil }
            wanted['LANG'] = wanted['LC_ALL'] = 'C'
          end
          USER.each { |name| wanted[name] = nil }
          (options[:custom_environment] || {}).each { |name, value| wanted[name.to_s] = value&.to_s }
          wanted
        end
      end
    end
  end
end
