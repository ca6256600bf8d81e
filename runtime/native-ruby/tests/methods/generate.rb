# Calls of methods on values, and what Ruby gives for them: a line each, the code and the result with a tab between.
# Arguments: the source file that names the methods, a seed, how many calls.

require 'json'
require 'timeout'

source, seed, count = ARGV
text = File.read(source)
METHODS = text.scan(/^    \w+ = ("[^\n]*"),$/).flat_map { |(names)| names.scan(/"([^" ]+)"/).flatten }.uniq -
          %w[freeze send __send__ public_send display Integer Float String Array Hash format sprintf to_yaml class
             unwrap has_variable? name respond_to? is_a? kind_of? instance_of?]
random = Random.new(seed.to_i)

RECEIVERS = [
  "''", "'a'", "'abc'", "'hello world'", "'Az9'", "'  x y  '", "\"a\\nb\\n\"", "\"a\\r\\n\"", "'a,b,,c,,'", "'12'", "' -3.5e2x'",
  "'0x1F'", "'zz'", "'a-9'", "'été'", "'aaabbb'", "'foo=1;bar=2'", "'/etc/ssh/sshd_config'", "'1.9.9'", "\"t\\tq\\\"\"",
  "'10.0.0.1/8'", "'CamelCase'", "'x'.dup", "'a b'.dup", "'aab'.dup",
  "0", "1", "-7", "10", "255", "1234567", "3.7", "-0.5", "1.0", "100.125", "2.5", "1e20", "0.1",
  "nil", "true", "false", ":a", ":abc", ":Foo",
  "[]", "[1]", "[3, 1, 2]", "[1, 2, 2, 3, nil]", "['b', 'a', 'c']", "['a', 'bb', 'ccc']", "[[1, 2], [3, 4]]", "[1, [2, [3, []]]]",
  "[nil, false, 1]", "[['a', 1], ['b', 2]]", "[1.5, 2, 0.1]", "[:a, 'a', 1]", "[0.1, 0.2, 0.3]", "[true, true]", "%w[x y z x]",
  "{}", "{'a' => 1}", "{'a' => 1, 'b' => 2}", "{a: 1, b: [1, 2]}", "{1 => 'x', nil => 'y'}", "{'b' => 2, 'a' => nil, 'c' => 2}",
  "{'x' => {'y' => 1}}",
  "(1..3)", "(1...3)", "(0..-1)", "('a'..'e')", "(5..)", "(..5)", "(1.0..2.5)",
  "/a/", "/(b)(c)?/", "/^x/i",
].freeze
ARGUMENTS = [
  "0", "1", "2", "-1", "-2", "3", "10", "16", "100", "1.5", "-2.0", "0.5", "nil", "true", "'a'", "'b'", "''", "' '", "','", "'l'",
  "'abc'", "'a-c'", "'^a'", "\"\\n\"", "':a'", ":a", ":b", ":+", "'x'", "[1]", "[1, 2]", "['a']", "[[1, 2]]", "[]", "{}",
  "{'a' => 5}", "{'b' => 1, 'z' => 9}", "{a: 3}", "(0..1)", "(1..-1)", "(-2..)", "(..1)", "(0...2)", "/a/", "/[aeiou]/", "/(l+)(o)?/",
  "/,\\s*/", "//", "/b|$/", "/(?<n>\\w)/", "'\\\\0-\\\\1'", "'%s'", "'<\\\\k<n>>'",
].freeze
BLOCKS = [
  "{ |x| x }", "{ |x| x.to_s }", "{ |a, b| [a, b] }", "{ |a, b| b.to_s <=> a.to_s }", "{ |x| x == 1 }", "{ |x| x.nil? }",
  "{ |a, b| a == b }", "(&:to_s)", "(&:inspect)", "{ |a| a.to_s.size }", "{ |x| [x, 1] }", "{ |k, v| v }", "{ |x| nil }",
  "{ |a, (b, c)| [a, b, c] }", "{ |a, b| a.to_s + b.to_s }", "{ 'q' }",
].freeze
CHANGED = /!$|^(<<|\[\]=|store|push|append|pop|shift|unshift|prepend|insert|delete|delete_at|delete_if|keep_if|fill|clear|replace|concat|update)$/

KNOWN = RECEIVERS.to_h do |on|
  value = eval(on) # rubocop:disable Security/Eval
  [on, METHODS.select { |method| value.respond_to?(method) }]
end

def call(random)
  on = RECEIVERS.sample(random: random)
  method = KNOWN[on].sample(random: random)
  method = METHODS.sample(random: random) if random.rand < 0.1
  number = [0, 0, 0, 1, 1, 1, 1, 2, 2, 3].sample(random: random)
  value = eval(on) # rubocop:disable Security/Eval
  arity = value.respond_to?(method) ? value.method(method).arity : -1
  number = arity if arity >= 0
  args = Array.new(number) { ARGUMENTS.sample(random: random) }
  block = random.rand < 0.3 ? BLOCKS.sample(random: random) : ''
  return nil if method == 'cycle' && args.empty?
  # Another each time.
  return nil if %w[rand sample shuffle shuffle!].include?(method)

  return nil if on.include?('..)') && !%w[begin end first last cover? include? === == inspect to_s size].include?(method)

  given = args.join(', ')
  if method.match?(/\A[a-z_]+[?!]?\z/)
    made =
      if block.start_with?('(') then "#{on}.#{method}(#{(args + [block[1..-2]]).join(', ')})"
      else "#{on}.#{method}#{"(#{given})" unless args.empty?} #{block}".strip
      end
    method.match?(CHANGED) ? "x = #{on}; y = #{made.sub(on, 'x')}; [x, y]" : made
  elsif method == '[]=' && args.size >= 2
    "x = #{on}; x[#{args[0..-2].join(', ')}] = #{args.last}; x"
  elsif method == '[]' && !args.empty?
    "#{on}[#{given}]"
  elsif args.size == 1 && method.match?(/\A[^\w\[]+\z/) && !%w[! ~ -@ +@].include?(method)
    method == '<<' ? "x = #{on}; y = x << #{given}; [x, y]" : "#{on} #{method} #{given}"
  end
end

def result(code)
  shown = Timeout.timeout(0.2) { eval("(#{code})", TOPLEVEL_BINDING.dup).inspect } # rubocop:disable Security/Eval
  shown.include?("\n") || shown.size > 100_000 ? '?' : shown
rescue StandardError, NotImplementedError, SyntaxError => e
  "!#{e.class}"
end

$VERBOSE = nil
made = {}
while made.size < count.to_i
  code = call(random)
  next if code.nil? || code.include?("\n")

  made[code] ||= true
end
made.each_key { |code| puts "#{code}\t#{result(code)}" }
