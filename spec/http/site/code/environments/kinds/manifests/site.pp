# Classes in classes, and defined types and functions, which are not told.
class outer ($first) {
  class inner (String $second = "two") {
  }
  define thing ($x) { }
}
class other::inner inherits outer { }
function kinds::of() { 1 }
node default { }
