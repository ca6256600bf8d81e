# Which values have which methods, for `respond_to?`: prints the table of src/methods/responds.rs.
# Run with `ruby --disable=gems`; with Puppet loaded it is the same but for names that Puppet's libraries add.
values = { s: 'x', y: :x, i: 1, f: 1.0, a: [], h: {}, n: nil, b: true }
names = values.values.flat_map(&:public_methods) - Object.new.public_methods
names = names.uniq.map(&:to_s).grep(/\A[a-z][a-z_0-9]*[?]?\z/).sort
kinds = names.group_by { |name| values.select { |_, value| value.respond_to?(name) }.keys.join }
kinds.sort.each { |kind, all| puts "#{kind}: #{all.join(' ')}" }
