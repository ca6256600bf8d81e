echo outside
