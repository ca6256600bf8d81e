# What the compiler asks of the worker, by the first byte of a message.

module Bunraku
  class << self
    def handle(op, message)
      case op
      when 98 # b: a compile begins
        @compile = Compile.new
        @folders = @compile.begin(*message.value)
        $LOAD_PATH.unshift(*@folders)
        nil
      when 108 then load_function(*message.value) # l
      when 102 # f: a function of the new interface
        name, index, scope, args, block = message.value
        call_loaded(name, index, Puppet::Parser::Scope.at(scope), args, block)
      when 100 then load_datatype(*message.value) # d
      when 107 then class_for(*message.value) # k
      when 110 then make_instance(*message.value) # n
      when 109 then call_member(*message.value) # m
      when 111 then load_checked(*message.value) # o
      when 113 # q: a block of Ruby that a function of the language was given
        block, args = message.value
        block.call(*args)
      when 112 then load_resource_type(*message.value) # p
      when 103 # g: one of the old
        name, scope, args = message.value
        call_old(name, Puppet::Parser::Scope.at(scope), args)
      when 119 # w: where an old function that has been loaded was written
        info = Puppet::Parser::Functions.info(message.value)
        info && info[:file]
      when 115 then check_syntax(*message.value) # s
      when 116 # t: a template
        scope, file, shown, text = message.value
        render(Puppet::Parser::Scope.at(scope), file, shown, text)
      else raise IOError, "message #{op}"
      end
    end
  end
end
