type Kinds::Port = Integer[0, 65535]
