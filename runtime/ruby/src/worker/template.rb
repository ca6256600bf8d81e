# ERB templates.

module Puppet
  module Parser
    # What a template is evaluated in: the scope's variables are its instance variables.
    class TemplateWrapper
      extend Bunraku::Gaps
      include Puppet::Util
      include Puppet::Util::Logging

      def initialize(scope, file = nil)
        @__scope__ = scope
        @__file__ = file unless file.nil?
      end

      def file=(name)
        @__file__ = Files.find_template(name)
        raise Puppet::ParseError, "Could not find template '#{name}'" unless @__file__
      end

      def scope
        @__scope__
      end

      def file
        @__file__
      end

      def has_variable?(name)
        scope.include?(name.to_s)
      end

      def classes
        scope.catalog.classes
      end

      def tags
        raise NotImplementedError, "Call 'all_tags' instead."
      end

      def all_tags
        scope.catalog.tags
      end

      def to_s
        "template[#{file || 'inline'}]"
      end

      # The variables of the scope, by the names they have as instance variables.
      def bunraku_given
        scope.to_hash.to_h { |name, value| [:"@#{name.gsub(/\W/, '_')}", value] }
      end

      # Has all variables of the scope, as messages show a wrapper, which are made when they are asked for.
      def bunraku_bind_all
        own = instance_variables.to_h { |name| [name, instance_variable_get(name)] }
        given = bunraku_given
        first = %i[@__scope__ @__file__].to_h { |name| [name, own[name]] }.compact
        @bunraku_shown = first.merge(given, own.compact)
        given.each { |name, value| instance_variable_set(name, value) unless own.key?(name) }
      end

      def inspect
        return super unless @bunraku_shown
        address = super[/\A#<[^ >]*/]
        "#{address} #{@bunraku_shown.map { |name, value| "#{name}=#{value.inspect}" }.join(', ')}>"
      end
    end
  end
end

# Not within the modules above: a template's constants are looked for here and at the top, not in what lies around.
class Puppet::Parser::TemplateWrapper
  class << self
    # Makes a method of a template's code.
    def bunraku_define(method, erb, file)
      source = erb.src.sub(/^(?!#|$)/) { "def #{method}\n" }
      class_eval("#{source}\nend\n", file, -1)
    end

    # A constant that a template names may be nobody's.
    def const_missing(name)
      Module.instance_method(:const_missing).bind_call(self, name)
    end
  end

  # What functions render that make a wrapper of their own: the file's text, or one given.
  def result(text = nil)
    text ||= Puppet::FileSystem.read_preserve_line_endings(@__file__)
    benchmark(:debug, "Bound template variables for #{@__file__ || 'inline template'}") do
      bunraku_given.each { |name, value| instance_variable_set(name, value) }
    end
    template = Puppet::Util.create_erb(text)
    template.filename = @__file__
    template.result(binding)
  end

  def bunraku_binding
    binding
  end
end

module Bunraku
  # A template, compiled: a method of the wrapper where that is possible, and the variables it can name.
  class Template
    # Code that may reach variables by other ways than their names.
    INDIRECT = /instance_variable|instance_eval|instance_exec|\beval\b|\bbinding\b|instance_values/.freeze

    attr_reader :stamp

    def initialize(text, file, stamp)
      @stamp = stamp
      @file = file
      @erb = Puppet::Util.create_erb(text)
      @erb.filename = file
      @names = text.match?(INDIRECT) ? nil : text.scan(/@([A-Za-z_]\w*)/).flatten.uniq
      @method = :"render_#{object_id}"
      begin
        # A method is compiled once; but it may not hold all that a template may.
        Puppet::Parser::TemplateWrapper.bunraku_define(@method, @erb, file || '(erb)')
      rescue SyntaxError
        @method = nil
      end
    end

    def render(scope)
      wrapper = Puppet::Parser::TemplateWrapper.new(scope, @file)
      if @names
        values = scope.variables(@names)
        @names.each do |name|
          value = values[name]
          wrapper.instance_variable_set("@#{name}", value) unless value.nil?
        end
      else
        scope.to_hash.each { |name, value| wrapper.instance_variable_set("@#{name.gsub(/\W/, '_')}", value) }
      end
      begin
        @method ? wrapper.public_send(@method) : @erb.result(wrapper.bunraku_binding)
      rescue NameError => error
        wrapper.bunraku_bind_all if Bunraku.receiver_of(error).equal?(wrapper)
        raise
      ensure
        scope.settle
      end
    end
  end

  class << self
    # What had no such name; nil where the error does not say.
    def receiver_of(error)
      error.receiver
    rescue ArgumentError
      nil
    end

    # The text of a template: a file's, or one given as text. Templates are kept by file, until its time or length differ,
    # and by text; where there are more than a thousand the oldest goes.
    def render(scope, file, shown, text)
      @templates ||= {}
      if file
        stat = File.stat(file)
        stamp = [stat.mtime, stat.size]
        template = @templates[file]
        unless template && template.stamp == stamp
          template = @templates[file] = Template.new(File.read(file, encoding: 'bom|utf-8'), file, stamp)
        end
      else
        @templates.shift if @templates.size > 1000
        template = @templates[[text]] ||= Template.new(text, nil, nil)
      end
      template.render(scope)
    rescue StandardError => error
      raise if error.is_a?(Break)
      raise error if error.is_a?(Missing)
      detail = message_of(error)
      raise Puppet::ParseError, "Failed to parse inline template: #{detail}" unless file
      line = (error.backtrace || []).find { |at| !at.start_with?('<bunraku', '<internal') } || ''
      place = line.split(':')
      raise Puppet::ParseError, "Failed to parse template #{shown}:\n  Filepath: #{place[0]}\n  Line: #{place[1]}\n  Detail: #{detail}\n"
    end
  end
end
