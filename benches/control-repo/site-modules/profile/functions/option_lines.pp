# The options of a section, sorted, one a line; a list makes one line an element.
function profile::option_lines(Hash[String, Variant[String, Numeric, Boolean, Array, Undef]] $options, String $indent = '  ') >> Array[String] {
  $options.keys.sort.reduce([]) |$lines, $key| {
    $value = $options[$key]
    $more = $value ? {
      Undef   => [],
      true    => ["${indent}${key}"],
      false   => ["${indent}no ${key}"],
      Array   => $value.map |$item| { "${indent}${key} ${item}" },
      default => ["${indent}${key} ${value}"],
    }
    $lines + $more
  }
}
