# frozen_string_literal: true

# Nothing is run while suites are recorded, so nothing asks the network.
