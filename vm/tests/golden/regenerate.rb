# Writes the tables of this folder anew, keeping the types and literals they ask about:
#
#     ruby vm/tests/golden/regenerate.rb
#
# Asks real Puppet by tests/oracle/oracle.rb, so puppet-agent 7.23 must be installed.
require 'json'
require 'open3'

HERE = __dir__
ORACLE = File.expand_path('../../../tests/oracle/oracle.rb', HERE)

# The answers to many programs, in order: the repr of the last value, or nil and the error's message.
def ask(programs)
  jobs = programs.each_with_index.map { |code, n| JSON.generate('id' => n, 'code' => code, 'want' => ['value']) }
  out, status = Open3.capture2('ruby', ORACLE, stdin_data: jobs.join("\n") + "\n")
  abort 'the oracle failed' unless status.success?
  out.lines.map do |line|
    answer = JSON.parse(line)
    [answer['repr'], answer.dig('error', 'message'), answer['logs']]
  end
end

def rewrite(name)
  path = File.join(HERE, name)
  lines = File.readlines(path, chomp: true)
  head, rows = lines.partition { |line| line.start_with?('#') || line.empty? }
  File.write(path, (head + yield(rows)).join("\n") + "\n")
end

rewrite('print.txt') do |rows|
  types = rows.map { |row| row.split("\t", 2).first }
  answers = ask(types.map { |type| "notice(\"${#{type}}\")" })
  types.zip(answers).map do |type, (_, error, logs)|
    abort "#{type}: #{error}" if error
    "#{type}\t#{logs.last['message']}"
  end
end

rewrite('assignable.txt') do |rows|
  types = rows.map { |row| row.split(' ', 2).last }
  # Some answers are no booleans in Puppet, but count as true.
  answers = ask(types.map do |type|
    "[#{types.map { |other| "#{type} >= #{other}" }.join(', ')}].map |$answer| { !(!$answer) }"
  end)
  types.zip(answers).map do |type, (repr, error, _)|
    abort "#{type}: #{error}" if error
    "#{repr.scan(/true|false/).map { |word| word == 'true' ? 1 : 0 }.join} #{type}"
  end
end

rewrite('mismatch.txt') do |rows|
  pairs = rows.map { |row| row.split("\t").first(2) }
  answers = ask(pairs.map { |type, literal| "assert_type(#{type}, #{literal})" })
  pairs.zip(answers).map do |(type, literal), (_, error, _)|
    abort "#{literal} is a #{type}" unless error
    message = error[/Error while evaluating a Function Call, assert_type\(\): (.*) \(line: 1, column: 1\) on node localhost\z/m, 1]
    abort "#{type}, #{literal}: #{error}" unless message
    "#{type}\t#{literal}\t#{message.gsub("\n", '\n')}"
  end
end
