# What Ruby gives for the snippets on standard input, a line each.

def result(code)
  eval("(#{code})", TOPLEVEL_BINDING.dup).inspect # rubocop:disable Security/Eval
rescue StandardError, NotImplementedError, SyntaxError => e
  "!#{e.class}"
end

$VERBOSE = nil
%w[base64 cgi date digest erb ipaddr json openssl securerandom set shellwords stringio time uri yaml zlib].each { |file| require file }
$stdin.each_line { |line| puts(line.start_with?('#') || line.strip.empty? ? '' : result(line.chomp)) }
