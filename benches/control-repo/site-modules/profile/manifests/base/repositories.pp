# Where packages come from.
class profile::base::repositories (
  Hash[String, Hash] $sources,
  Hash[String, Hash] $pins  = {},
  Hash[String, Any]  $confs = {},
) {
  class { 'apt':
    purge  => { 'sources.list' => true, 'sources.list.d' => true },
    update => { 'frequency' => 'daily' },
  }
  $sources.each |$name, $source| {
    apt::source { $name:
      comment => "By ${module_name} for ${facts['site_role']}",
      *       => $source,
    }
  }
  create_resources('apt::pin', $pins)
  $confs.each |$name, $content| {
    apt::conf { $name:
      content => $content ? {
        Hash    => profile::option_lines($content, '').map |$line| { "${line};" }.join("\n"),
        default => "${content}\n",
      },
    }
  }

  Apt::Source <| |> -> Class['apt::update'] -> Package <| tag == 'site-package' |>
}
