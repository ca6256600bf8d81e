# What scopes tell of the compile beside their variables, and where files of modules lie: with a Ruby process and without one.

module Bunraku
  module ScopeMethods
    def environment
      Puppet::Node::Environment.current
    end

    def compiler
      Puppet::Parser::CompilerView.current
    end

    def catalog
      compiler.catalog
    end

    def findresource(type, title = nil)
      catalog.resource(type, title)
    end

    def find_hostclass(name)
      known_resource_types.hostclass(name)
    end

    def find_definition(name)
      known_resource_types.definition(name)
    end

    def find_resource_type(name)
      Puppet::Pops::Evaluator::Runtime3ResourceSupport.find_resource_type(self, name)
    end

    def find_builtin_resource_type(name)
      find_resource_type(name) if Bunraku.ask('type?', [name.to_s.downcase]) == 'builtin'
    end

    def find_defined_resource_type(name)
      find_definition(name)
    end

    def known_resource_types
      Puppet::Parser::KnownTypes.new
    end

    def lookupdefaults(type)
      Bunraku.ask('defaults', [live_number, type.to_s, defaults_are_ruby?]).to_h do |name, value|
        [name.to_sym, Puppet::Parser::Resource::Param.new(name: name, value: value)]
      end
    end

    def resource
      Puppet::Parser::Resource.from(about[0])
    end

    def source
      Puppet::Resource::Type.from(about[1])
    end

    def parent_module_name
      about[2]
    end

    def is_topscope?
      about[4] == 'top'
    end

    def is_nodescope?
      about[4] == 'node'
    end

    def is_classscope?
      about[4] == 'class'
    end

    private

    # Whether a function has written `lookupdefaults` of this very object anew: then only Puppet's own is asked for here.
    def defaults_are_ruby?
      false
    end

    def about
      Bunraku.ask('scope', [live_number])
    end
  end
end

module Puppet
  module Parser
    module Files
      # Whole paths are what they are, whether anything lies there or not.
      def self.find_template(name, _environment = nil)
        return name if name.to_s.start_with?('/')
        Bunraku.ask('file', ['templates', name.to_s])
      end

      def self.find_file(name, _environment = nil)
        return name if name.to_s.start_with?('/')
        Bunraku.ask('file', ['files', name.to_s])
      end
    end
  end
end
