# The paths of all leaves of nested data, joined by dots.
function profile::deep_names(Variant[Hash, Array, Scalar, Undef] $data, Array[String] $path = []) >> Array[String] {
  case $data {
    Hash: { $data.map |$key, $value| { profile::deep_names($value, $path + "${key}") }.flatten }
    Array: { $data.map |$index, $value| { profile::deep_names($value, $path + "${index}") }.flatten }
    default: { [$path.join('.')] }
  }
}
