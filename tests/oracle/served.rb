#!/usr/bin/env ruby
# frozen_string_literal: true

# What real Puppet's own handlers answer to requests of version 3, without connections and without authorisation: the code
# that Puppet Server hands requests to.
#
#   served.rb [--SETTING VALUE …]
#
# One JSON request a line on stdin: {"method","path","query":[[K,V]…],"headers":{},"body","node"}; the path is decoded, the
# body is in hexadecimal digits. One JSON answer a line on stdout: {"status","type","body","logs"}, the body likewise.

require 'json'
require 'puppet'
require 'puppet/network/http'
require 'puppet/network/http/api'
require 'puppet/network/http/api/server/v3'
require 'puppet/network/http/handler'
require 'puppet/network/authorization'
require 'puppet/file_serving/content'
require 'puppet/file_serving/metadata'
require 'puppet/file_bucket/file'
require 'puppet/transaction/report'
require 'puppet/node/facts'

module Served
  # Puppet's handler of requests, with a hash for a connection.
  class Handler
    include Puppet::Network::HTTP::Handler

    def initialize
      register([Puppet::Network::HTTP::API.server_routes, Puppet::Network::HTTP::API.not_found_upgrade])
    end

    def headers(request) = request['headers']
    def http_method(request) = request['method']
    def path(request) = request['path']
    def body(request) = request['body']
    def client_cert(_request) = nil

    def params(request)
      given = request['query'].group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
      given = given.transform_values { |all| all.length == 1 ? all.first : all }
      # What Puppet Server does with parameters.
      decode_params(given).merge(node: request['node'], ip: '127.0.0.1', authenticated: true)
    end

    def set_content_type(response, format)
      response['type'] = format_to_mime(format)
    end

    def set_response(response, result, status = 200)
      response['status'] = status
      response['body'] = result
    end
  end

  def self.answer(handler, request)
    response = { 'type' => nil, 'status' => 200, 'body' => '' }
    logs = []
    collector = Puppet::Test::LogCollector.new(logs)
    Puppet::Util::Log.newdestination(collector)
    handler.process(request, response)
    body = response['body']
    # Puppet Server sends nothing for a folder.
    body = File.directory?(body.path) ? '' : body.read if body.is_a?(File)
    { 'type' => response['type'].to_s, 'status' => response['status'], 'body' => body.to_s.unpack1('H*'),
      'logs' => logs.map { |log| [log.level.to_s, log.to_s] } }
  ensure
    Puppet::Util::Log.close(collector)
  end
end

Puppet.settings.preferred_run_mode = :server
Puppet.initialize_settings(ARGV)
Puppet.push_context(Puppet.base_context(Puppet.settings), 'a server')
Puppet::Network::Authorization.authconfigloader_class = Object
Puppet::FileServing::Content.indirection.terminus_class = :file_server
Puppet::FileServing::Metadata.indirection.terminus_class = :file_server
Puppet::FileBucket::File.indirection.terminus_class = :file
Puppet::Resource::Catalog.indirection.terminus_class = :compiler
Puppet::Node::Facts.indirection.terminus_class = Puppet[:facts_terminus]
Puppet::Util::Log.level = :info

handler = Served::Handler.new
$stdin.each_line do |line|
  request = JSON.parse(line)
  request['body'] = [request['body'].to_s].pack('H*')
  request['headers'] ||= {}
  request['query'] ||= []
  puts JSON.generate(Served.answer(handler, request))
  $stdout.flush
end
