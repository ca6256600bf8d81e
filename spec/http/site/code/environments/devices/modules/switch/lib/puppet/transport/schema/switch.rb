# How a switch is reached.
require 'puppet/resource_api'

Puppet::ResourceApi.register_transport(
  name: 'switch',
  desc: 'A switch',
  features: [],
  connection_info: {
    host: { type: 'String', desc: 'Its name' },
    port: { type: 'Optional[Integer]', desc: 'Its port' },
  },
)
