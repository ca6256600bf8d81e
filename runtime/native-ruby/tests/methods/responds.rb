# The public methods of Ruby's own classes: what `respond_to?` says of their instances. The classes in a line, then the methods in
# their order, a line each, with the classes that have it: a bit for each, the first being the lowest.

classes = [String, Symbol, Integer, Float, NilClass, TrueClass, FalseClass, Array, Hash, Range, Regexp, MatchData]
having = Hash.new(0)
classes.each_with_index do |of, number|
  of.public_instance_methods.each { |name| having[name.to_s] |= 1 << number }
end
puts classes.join(' ')
having.sort.each { |name, bits| puts "#{name} #{bits}" }
