# Files as Puppet's own code reads them.

module Puppet
  module FileSystem
    def self.exist?(path)
      File.exist?(text_of(path))
    end

    def self.file?(path)
      File.file?(text_of(path))
    end

    def self.directory?(path)
      File.directory?(text_of(path))
    end

    def self.read(path, how = {})
      Bunraku.left_to_ruby unless how == {} || how == { encoding: 'utf-8' }
      File.read(text_of(path))
    end

    def self.binread(path)
      File.binread(text_of(path))
    end

    # Without the mark that tells the order of bytes.
    def self.read_preserve_line_endings(path)
      File.read(text_of(path)).delete_prefix("\uFEFF")
    end

    def self.path_string(path)
      text_of(path)
    end

    def self.text_of(path)
      Bunraku.left_to_ruby unless path.is_a?(String) || path.is_a?(Pathname)
      path.to_s
    end
  end
end
