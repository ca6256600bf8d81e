# How many workers a service gets: one a core, within its share of memory.
#
# @param share megabytes that one worker needs
function profile::workers(Integer[1] $share = 256, Integer[1] $most = 32) >> Integer[1, 32] {
  $cores = Integer($facts.get('processors.count', 1))
  $memory = Integer($facts.get('memory.system.total_bytes', 1073741824)) / 1048576
  [max(1, $memory / $share / 2), $cores * 2, $most].min
}
