# Writes what real Puppet says of each source in verdicts.jsonl, in place of what stands there:
#
#   ruby compiler/tests/verdicts.rb
#
# Needs Puppet 7.23 (Debian's puppet-agent) as a library, a UTF-8 locale, and nothing else. A new source is
# added as a line {"kind": "pp" or "epp", "source": "…"}.
require 'json'
require 'tmpdir'
require 'puppet'

# Keeps what is logged.
$logs = []
Puppet::Util::Log.newdesttype(:verdicts) do
  match(/\Averdicts\z/)
  def initialize(*); end
  def handle(log)
    $logs << [log.level.to_s, log.message, log.line, log.pos]
  end
end

# What Puppet's parser and validator say: level, message, line and column each.
def verdict(kind, source)
  $logs.clear
  evaluating = Puppet::Pops::Parser::EvaluatingParser
  parser = kind == 'epp' ? evaluating::EvaluatingEppParser.new : evaluating.new
  parser.parse_string(source, 'm.pp')
  $logs.dup
rescue Puppet::ParseErrorWithIssue => e
  message = e.basic_message
  $logs.dup + (message.start_with?('Language validation logged') ? [] : [['err', message, e.line, e.pos]])
rescue Puppet::ParseError => e
  $logs.dup << ['err', e.message.sub(/ \((file|line): .*\)\z/, ''), e.line, e.pos]
rescue RegexpError => e
  $logs.dup << ['err', e.message, nil, nil]
end

path = File.join(__dir__, 'verdicts.jsonl')
Dir.mktmpdir do |dir|
  Puppet.initialize_settings(%w[confdir vardir codedir].map { |name| "--#{name}=#{dir}/#{name}" })
  Puppet[:strict] = :error
  %i[max_errors max_warnings max_deprecations].each { |name| Puppet[name] = 1000 }
  Puppet::Util::Log.newdestination('verdicts')
  environment = Puppet::Node::Environment.create(:production, [], Puppet::Node::Environment::NO_MANIFEST)
  Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) do
    lines = File.readlines(path, encoding: 'utf-8').map do |line|
      row = JSON.parse(line)
      row['diagnostics'] = verdict(row['kind'], row['source'])
      JSON.generate(row)
    end
    File.write(path, lines.join("\n") + "\n")
  end
end
