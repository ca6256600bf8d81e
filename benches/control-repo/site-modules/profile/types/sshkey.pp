# A public key.
type Profile::Sshkey = Struct[{
  type              => Enum['ssh-rsa', 'ssh-ed25519', 'ecdsa-sha2-nistp256'],
  key               => Pattern[/\A[A-Za-z0-9+\/=]{20,}\z/],
  Optional[options] => Array[String[1]],
}]
