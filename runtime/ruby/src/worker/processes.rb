# The processes of a worker: the first, which forks one for each compile, and that one. The first has one thread only and
# runs nothing but what is here, so each compile begins with the same Ruby, whatever the one before it did.

module Bunraku
  module Processes
    # How the process of a compile ends: it was told to; its input has ended; it got a message out of turn.
    DONE = 111
    NOBODY = 112
    CONFUSED = 113
    # How often the first process looks whether the compiler still lives.
    MOMENT = 1.0

    # Closes the pipes in whatever a function forks: it must neither answer nor keep them open.
    module Forks
      def _fork
        child = super
        Bunraku.forked if child.zero?
        child
      end
    end

    class << self
      # Forks a process for each compile until there are no more. Returns in those processes, once each.
      def each(input, output, parent)
        @input = input
        @output = output
        @parent = parent
        own = Process.pid
        # Here, and not in each: what is changed after a fork is memory of its own.
        Process.singleton_class.prepend(Forks)
        @ended, @told = IO.pipe
        trap(:CHLD) { @told.write_nonblock('.', exception: false) }
        loop do
          @features, notes = IO.pipe
          child = fork
          return begin_compile(own, notes) if child.nil?
          notes.close
          status = watch(child)
          exit!(0) if status.exited? && status.exitstatus == NOBODY
          farewell(status) unless status.exited? && status.exitstatus == DONE
          # Input that is there before anybody has been greeted is the end of it.
          exit!(0) if IO.select([@input], nil, nil, 0)
          load_features
        end
      end

      # What a process of a compile tells the first when it ends: what it has loaded of Ruby's library and of our parts.
      def note(features)
        @notes.write(features.join("\n"))
      rescue SystemCallError
        nil
      end

      private

      def begin_compile(first, notes)
        trap(:CHLD, 'DEFAULT')
        [@ended, @told, @features].each(&:close)
        @notes = notes
        Process.setpgid(0, 0)
        first
      end

      # Waits for the process of a compile, and ends what it leaves behind. Ends it when the compiler is gone.
      def watch(child)
        loop do
          pid, status = Process.wait2(child, Process::WNOHANG)
          if pid
            end_group(child)
            return status
          end
          @ended.read_nonblock(64, exception: false) if IO.select([@ended], nil, nil, MOMENT)
          next if Process.ppid == @parent
          end_group(child)
          exit!(0)
        end
      end

      def end_group(leader)
        Process.kill(:KILL, -leader)
      rescue Errno::ESRCH, Errno::EPERM
        # It may not have come as far as to lead a group.
        begin
          Process.kill(:KILL, leader)
        rescue Errno::ESRCH
          nil
        end
      end

      # Tells the compiler how the process of its compile ended, and ends the worker with it.
      def farewell(status)
        reason = if status.signaled?
                   "signal: #{status.termsig} (SIG#{Signal.signame(status.termsig)})"
                 else
                   "exit status: #{status.exitstatus}"
                 end
        body = [Protocol::Message::GONE].pack('C') << reason.b
        @output.syswrite([body.bytesize, 0, 0].pack('VVV') << body)
        exit!(1)
      rescue SystemCallError
        exit!(1)
      end

      # Loads what the last compile loaded of our parts, and of Ruby's library if Puppet has loaded it from its start: the
      # next need not.
      def load_features
        names = @features.read_nonblock(65_536, exception: false)
        @features.close
        return unless names.is_a?(String)
        names.split("\n").each { |name| require name if Library::FEATURES.include?(name) || Parts.part?(name) }
      rescue LoadError
        nil
      end
    end
  end

  # The time that Ruby code has had, without what it waited for answers and for a processor that others had.
  class Clock
    def initialize(limit)
      @limit = limit
      @waited = 0.0
      @waiting = nil
      @deadline = nil
    end

    # A question is put that no other stands behind.
    def begin
      @deadline = now + @limit
    end

    def over
      @deadline = nil
    end

    # Whatever the block takes does not count.
    def wait
      @waiting = monotonic
      yield
    ensure
      @waited += monotonic - @waiting
      @waiting = nil
    end

    # Raises into the main thread when its time is up. The compiler itself ends a worker that does not heed this.
    def watch(parent)
      main = Thread.main
      Thread.new do
        loop do
          sleep(@limit > 4 ? 1 : @limit / 8.0)
          Process.kill(:KILL, 0) unless Process.ppid == parent
          deadline = @deadline
          next unless deadline && now > deadline
          @deadline = nil
          main.raise(TimeLimit, "ran for more than #{format('%g', @limit)} seconds (setting ruby_timeout)")
        end
      end
    end

    private

    def now
      (@waiting || monotonic) - @waited - delayed
    end

    def monotonic
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # How long the process could have run and had no processor; nothing where the system does not tell.
    def delayed
      File.read("/proc/#{Process.pid}/schedstat").split[1].to_i / 1e9
    rescue SystemCallError
      0.0
    end
  end

  class << self
    # What is left of the worker in a process that a function has forked.
    def forked
      return unless @pid
      @input.close
      @output.close
    end

    # Whether this process is one that a function has forked.
    def stray?
      Process.pid != @pid
    end

    def start(input, output, time_limit, memory_limit, parent)
      first = Processes.each(input, output, parent)
      @pid = Process.pid
      @input = input
      @output = output
      @buffer = String.new(capacity: 65_536, encoding: Encoding::BINARY)
      @depth = 0
      @age = 0
      @clock = Clock.new(time_limit)
      Process.setrlimit(Process::RLIMIT_AS, memory_limit) if memory_limit.positive?
      @clock.watch(first)
      write([5, 0, 0].pack('VVV') << [Protocol::Message::GREETING, @pid].pack('CV'))
      run
    end
  end
end
