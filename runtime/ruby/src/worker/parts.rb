# Parts of the worker's own Ruby that most compiles do without: the start takes in their text, and one is run when what
# it defines is first named. What a compile has needed is run before the next one begins.

module Bunraku
  module Parts
    # What each part defines beside what is there without it: constants and methods, by the module they are in.
    TABLE = {
      'adapters' => { 'Puppet::Pops' => %i[Adaptable] },
      'catalog' => {
        'Puppet' => %i[Resource Module], 'Puppet::Parser' => %i[Resource Catalog NodeView KnownTypes CompilerView],
        'Puppet::Node' => %i[Environment], 'Puppet::Pops::Evaluator' => %i[Runtime3ResourceSupport]
      },
      'checkers' => {
        'Puppet' => %i[Plugins SyntaxCheckers], 'Puppet::Pops' => %i[Issues Validation Adapters],
        'PuppetX' => %i[SYNTAX_CHECKERS SYNTAX_CHECKERS_TYPE],
        'Puppetx' => %i[SYNTAX_CHECKERS SYNTAX_CHECKERS_TYPE Puppet Puppetlabs], 'Bunraku.' => %i[plugins check_syntax]
      },
      'datatypes' => {
        'Puppet' => %i[DataTypes], 'Puppet::Pops' => %i[ProtectedNames],
        'Puppet::Pops::Loader' => %i[RubyDataTypeInstantiator], 'Bunraku' => %i[Attribute ClassMaker OF_OTHER_TYPES],
        'Bunraku.' => %i[load_datatype class_for of_other_type? note_readers made_here? data_of constructor_order
                         make_instance call_member]
      },
      'environment' => {
        'Puppet::Util' => %i[Environment],
        'Puppet::Util.' => %i[get_env get_environment clear_environment set_env merge_environment withenv default_env]
      },
      'file_modes' => { 'Puppet::Util' => %i[SymbolicFileMode] },
      'helpers' => {
        'Puppet::Util' => %i[Platform Warnings Checksums ConstantInflector Profiler CharacterEncoding],
        'Puppet::Util.' => %i[uri_encode uri_query_encode uri_unescape rfc2396_escape path_to_uri uri_to_path thinmark
                              replace_file exit_on_fail pretty_backtrace]
      },
      'hiera' => { 'Puppet' => %i[LookupContext] },
      'http' => { 'Puppet' => %i[Runtime HTTP Network SSL], 'Puppet.' => %i[runtime] },
      'injection' => {
        'Puppet' => %i[Bindings], 'Puppet::Pops' => %i[Binder], 'Puppet::Functions' => %i[Injected],
        'Puppet::Functions::DispatcherBuilder' => %i[injected_param injected_producer_param injected_provider_param],
        'Puppet::Functions::Function.' => %i[attr_injected injected_param attr_injected_producer injected_producer_param
                                             injected_provider_param type_of hash_of array_of],
        'Bunraku' => %i[Injector], 'Bunraku.' => %i[injector]
      },
      'legacy' => {
        'Puppet::Parser' => %i[Functions], 'Puppet::Pops::Loader' => %i[RubyLegacyFunctionInstantiator],
        'Bunraku' => %i[BUILTIN OLD_REFUSED],
        'Bunraku.' => %i[builtin? call_builtin load_old load_old_file load_old_function check_old walk_old to_old
                         empty_text reference from_old call_old old_versioncmp]
      },
      'loaders' => {
        'Puppet' => %i[Environments], 'Puppet::Pops' => %i[Loaders], 'Puppet::Pops::Loader' => %i[Loader LoadedFunction]
      },
      'lookups' => { 'Object' => %i[Hiera], 'Puppet::Pops' => %i[Lookup] },
      'puppet_files' => { 'Bunraku' => %i[PUPPET_FILES] },
      'pson' => { 'Object' => %i[PSON to_pson] },
      'reports' => {
        'Puppet' => %i[Reports Transaction], 'Puppet::Util' => %i[TagSet Tagging PsychSupport Metric Log],
        'Bunraku' => %i[ReportData], 'Bunraku.' => %i[process_report serve_reports]
      },
      'resource_types' => {
        'Puppet' => %i[Parameter Property Provider Type], 'Bunraku' => %i[AnyWord],
        'Bunraku.' => %i[load_resource_type refusing refusing= makes_types?]
      },
      'system' => { 'Puppet' => %i[FileSystem], 'Puppet::Util' => %i[Execution] },
      'loading' => { 'Bunraku' => %i[Loading Refusing], 'Bunraku.' => %i[check_loading] },
      'template' => {
        'Puppet::Parser' => %i[TemplateWrapper], 'Bunraku' => %i[Template], 'Bunraku.' => %i[render]
      },
      'times' => { 'Puppet::Pops' => %i[Time], 'Object' => %i[SemanticPuppet] },
      'types' => { 'Puppet::Pops' => %i[Types] }
    }.freeze

    @loaded = []
    @lock = Mutex.new

    class << self
      # The parts that have been run, as they are required.
      attr_reader :loaded

      # Takes in the texts of all parts by their names.
      def add(texts)
        @texts = texts
        TABLE.each do |part, owners|
          owners.each { |owner, names| await(owner, names, "<bunraku>/#{part}.rb") }
        end
      end

      def part?(name)
        @texts.key?(name) || @loaded.include?(name)
      end

      # Runs a part. False where that has begun before.
      def load(name)
        return run(name) if @lock.owned?
        @lock.synchronize { run(name) }
      end

      private

      def run(name)
        text = @texts.delete(name)
        return false unless text
        @loaded << name
        forget(name)
        eval(text, TOPLEVEL_BINDING, name, 1) # rubocop:disable Security/Eval -- it is our own
        true
      end

      def await(owner, names, file)
        constants, methods = names.partition { |name| name.match?(/\A[A-Z]/) }
        place = owner(owner)
        constants.each { |name| place.autoload(name, file) }
        Library.late(place, methods, file) unless methods.empty?
      end

      # Takes away what waits for a part, or opening its modules would ask for it again.
      def forget(name)
        TABLE[File.basename(name, '.rb')].each do |owner, names|
          place = owner(owner)
          names.each do |constant|
            next unless constant.match?(/\A[A-Z]/) && place.autoload?(constant, false)
            place.send(:remove_const, constant)
          end
        end
      end

      # The module of this name; with a dot behind it, that of its own methods.
      def owner(name)
        found = Object.const_get(name.delete_suffix('.'))
        name.end_with?('.') ? found.singleton_class : found
      end
    end
  end
end
