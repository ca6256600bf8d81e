class elsewhere { }
class kinds::two_faults {
  $a = 1 2 'x'
  1
}
