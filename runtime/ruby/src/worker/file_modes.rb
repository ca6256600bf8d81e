# Modes of files as words (`u=rwx,g=rX,o-w`), as Puppet's helper of that name reads them.

module Puppet
  module Util
    module SymbolicFileMode
      SetUIDBit = ReadBit = 4
      SetGIDBit = WriteBit = 2
      StickyBit = ExecBit = 1
      SymbolicMode = { 'x' => ExecBit, 'w' => WriteBit, 'r' => ReadBit }.freeze
      SymbolicSpecialToBit = {
        't' => { 'u' => StickyBit, 'g' => StickyBit, 'o' => StickyBit },
        's' => { 'u' => SetUIDBit, 'g' => SetGIDBit, 'o' => StickyBit }
      }.freeze

      OCTAL = /^0?[0-7]{1,4}$/.freeze
      WORDS = /^([ugoa]*[-=+][-=+rstwxXugo]*)(,[ugoa]*[-=+][-=+rstwxXugo]*)*$/.freeze
      # Where each one's three bits stand.
      PLACES = { 's' => 9, 'u' => 6, 'g' => 3, 'o' => 0 }.freeze
      private_constant :OCTAL, :WORDS, :PLACES

      def valid_symbolic_mode?(value)
        value = normalize_symbolic_mode(value)
        return true if value =~ OCTAL
        return true if value =~ WORDS
        false
      end

      def display_mode(value)
        value =~ OCTAL ? value.rjust(4, '0') : value
      end

      def normalize_symbolic_mode(value)
        case value
        when nil then nil
        when Numeric then value.to_s(8)
        when OCTAL then value.to_i(8).to_s(8)
        else value
        end
      end

      def symbolic_mode_to_int(modification, to_mode = 0, is_a_directory = false)
        raise Puppet::Error, 'An empty mode string is illegal' if modification.nil? || modification == ''
        return modification.to_i(8) if modification =~ /^[0-7]+$/
        raise Puppet::Error, 'Numeric modes must be in octal, not decimal!' if modification =~ /^\d+$/
        fail "non-numeric current mode (#{to_mode.inspect})" unless to_mode.is_a?(Numeric)

        bits = PLACES.transform_values { |place| (to_mode >> place) & 7 }
        executable = is_a_directory || (to_mode & 0o111) != 0
        modification.split(/\s*,\s*/).each do |part|
          begin
            SymbolicFileMode.change(bits, part, executable)
          rescue Puppet::Error => error
            rest = part.inspect == modification.inspect ? '' : " at #{part.inspect}"
            raise Puppet::Error, "#{error}#{rest} in symbolic mode #{modification.inspect}", error.backtrace
          end
        end
        PLACES.sum { |who, place| bits[who] << place }
      end

      class << self
        # Does what one part says (`ug+rw`) to the bits of each.
        def change(bits, part, executable)
          _, whom, says = /^([ugoa]*)([-+=].*)$/.match(part).to_a
          raise Puppet::Error, 'Missing action' if says.nil?
          whom = 'a' if whom.empty?
          # What is copied from another is what that one had before this part.
          before = bits.dup
          whom.gsub('a', 'ugo').chars.uniq.each do |who|
            bits[who] = words(bits, before, who, says, executable)
          end
        end

        private

        def words(bits, before, who, says, executable)
          value = before[who]
          action = '!'
          says.each_char do |word|
            case word
            when /[-+=]/
              action = word
              value = 0 if word == '='
            when /[ugo]/ then value = act(action, value, before[word])
            when /[rwx]/ then value = act(action, value, SymbolicMode[word])
            when 'X'
              raise Puppet::Error, "X only works with the '+' operator" unless action == '+'
              value |= ExecBit if executable
            when /[st]/ then bits['s'] = act(action, bits['s'], SymbolicSpecialToBit[word][who])
            else raise Puppet::Error, 'Unknown operation'
            end
          end
          value
        end

        def act(action, value, with)
          action == '-' ? value & ~with : value | with
        end
      end
    end
  end
end
