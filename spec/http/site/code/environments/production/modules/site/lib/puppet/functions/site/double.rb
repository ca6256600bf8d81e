Puppet::Functions.create_function(:'site::double') do
  dispatch(:double) { param 'Integer', :n }
  def double(n) = n * 2
end
