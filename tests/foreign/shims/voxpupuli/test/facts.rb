# frozen_string_literal: true

require 'voxpupuli/test/spec_helper'
