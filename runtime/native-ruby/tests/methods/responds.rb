# The public methods of Ruby's own classes, a line each: what `respond_to?` says of their instances.

[String, Symbol, Integer, Float, NilClass, TrueClass, FalseClass, Array, Hash, Range, Regexp, MatchData].each do |of|
  puts "#{of}: #{of.public_instance_methods.sort.join(' ')}"
end
