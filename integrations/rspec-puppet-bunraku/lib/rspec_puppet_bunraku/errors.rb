# frozen_string_literal: true

module RspecPuppetBunraku
  # Errors of a compile, as Puppet raises them: suites match classes and texts, and may ask for places and codes.
  module Errors
    # How what is wrong with the text of manifests begins.
    PARSE = 'Could not parse for environment %s: '
    # What look-ups raise that find nothing, wherever they are in the code.
    NOTHING_FOUND = 'Function lookup() did not find a value for '

    # Puppet's error for what a result tells; `job` is what was asked.
    def self.of(told, job)
      message = told['message']
      return Puppet::Error.new(message) unless told['code'] || message.start_with?(NOTHING_FOUND)

      error = in_parts(told, job)
      # Where the text is put together otherwise, all of it is the message.
      error.message == message ? error : error.class.new(message, nil, nil, nil, nil, told['code']&.to_sym)
    end

    # What Puppet has of it apart: the text, the place, the environment and the node.
    def self.in_parts(told, job)
      place = told.values_at('file', 'line', 'column')
      parse = format(PARSE, job.environment)
      text = told['message'].delete_suffix(" on node #{job.node}").delete_suffix(Puppet::Util::Errors.error_location_with_space(*place))
      error = type(told, parse).new(text.delete_prefix(parse), *place, nil, told['code']&.to_sym)
      error.environment = job.environment if text.start_with?(parse)
      error.node = job.node
      error
    end

    def self.type(told, parse)
      return Puppet::DataBinding::LookupError unless told['code']

      told['message'].start_with?(parse) ? Puppet::ParseErrorWithIssue : Puppet::PreformattedError
    end
    private_class_method :in_parts, :type
  end
end
