# What the compiler asks of the worker: a method for each request of the protocol. Those that load and call are defined
# beside what they load.

module Bunraku
  class << self
    # Does what is requested; a request that there is not is an error, as is one with more or fewer arguments.
    def handle(request, arguments)
      name, count = Protocol::REQUESTS[request]
      raise IOError, "request #{request}, which there is not" unless name
      raise IOError, "request #{name} in another form" unless arguments.is_a?(Array) && arguments.size == count
      __send__(name, *arguments)
    end

    def begin_compile(node, environment, settings, folders)
      @compile = Compile.new
      @folders = @compile.begin(node, environment, settings, folders)
      $LOAD_PATH.unshift(*@folders)
      Hashes.write_as(settings['ruby_inspect'])
      # What this version of Puppet has not loaded itself is there when it is required, not when it is named.
      Object.send(:remove_const, :Syslog) if Object.autoload?(:Syslog) && !@compile.holds?('syslog-is-there')
      forget_pson unless @compile.holds?('pson-is-there')
      nil
    end

    def call_function(name, module_name, index, scope, args, block)
      call_loaded([name, module_name], index, Puppet::Parser::Scope.at(scope), args, block)
    end

    def call_old_function(name, scope, args)
      call_old(name, Puppet::Parser::Scope.at(scope), args)
    end

    def file_of_old_function(name)
      info = Puppet::Parser::Functions.info(name)
      info && info[:file]
    end

    def call_block(block, args)
      block.call(*args)
    end

    def render_template(scope, file, shown, text)
      render(Puppet::Parser::Scope.at(scope), file, shown, text)
    end

    def look_up_defaults(scope, type)
      found = []
      Puppet::Parser::Scope.at(scope).lookupdefaults(type).each_pair do |name, param|
        found << [name.to_s, param.name && param.value]
      end
      found
    end

    # One that needs what is not there yet is loaded by whoever requires it then.
    def load_files(files)
      files.each do |file|
        next require(file) if file.start_with?('/') || !file.include?(' ')
        target, added = file.split.map { |name| Object.const_get(name) }
        target.prepend(added)
      rescue StandardError, ScriptError
        next
      end
      nil
    end

    def become(number, items)
      compile.shared(number).replace(items)
      nil
    end

    private

    # Only Puppet 7 has it.
    def forget_pson
      Object.send(:remove_const, :PSON) if Object.autoload?(:PSON) || Object.const_defined?(:PSON, false)
      Object.send(:remove_method, :to_pson) if Object.method_defined?(:to_pson, false)
    end
  end
end
