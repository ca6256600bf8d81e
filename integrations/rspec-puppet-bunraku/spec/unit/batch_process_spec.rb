# frozen_string_literal: true

require 'spec_helper'
require 'tmpdir'

unless PUPPET_ALONE
  describe RspecPuppetBunraku::BatchProcess, :bunraku, type: :unit do
    let(:process) { described_class.new(RSpec.configuration.bunraku) }
    let(:job) { '{"code": "1 + 1", "want": ["value"]}' }

    after { process.close }

    it 'answers jobs from one process' do
      3.times { expect(process.ask(job).first['value']).to eq(2) }
      expect([process.jobs, process.starts]).to eq([3, 1])
    end

    it 'says what to set where the program is not there' do
      expect { described_class.new('/nonexistent/bunraku').ask(job) }
        .to raise_error(RspecPuppetBunraku::ProcessError, /can't be started.*BUNRAKU, or config.bunraku/)
    end

    it 'starts it again, aloud, when it has died' do
      process.ask(job)
      Process.kill('KILL', process.instance_variable_get(:@pipe).pid)
      expect { expect(process.ask(job).first['value']).to eq(2) }.to output(/has died.*started again/).to_stderr
      expect(process.starts).to eq(2)
    end

    it 'gives a job up of which it dies twice' do
      Dir.mktmpdir do |folder|
        program = File.join(folder, 'dies')
        File.write(program, "#!/bin/sh\nread line\nexit 1\n", perm: 0o755)
        dying = described_class.new(program)
        expect { expect { dying.ask(job) }.to raise_error(RspecPuppetBunraku::ProcessError, /died twice/) }.to output.to_stderr
      end
    end

    it 'is not used by a process that has been forked' do
      parent = described_class.instance
      reader, writer = IO.pipe
      child = fork do
        writer.puts(described_class.instance.equal?(parent), described_class.instance.ask(job).first['value'])
        described_class.close
        writer.close
        exit!(0)
      end
      Process.wait(child)
      writer.close
      expect(reader.read).to eq("false\n2\n")
      expect(parent.ask(job).first['value']).to eq(2)
    end

    it 'has the environment that the suite began with' do
      skip 'there is no /proc' unless File.exist?('/proc/self/environ')
      ENV['OF_AN_EXAMPLE'] = '1'
      process.ask(job)
      environment = File.read("/proc/#{process.instance_variable_get(:@pipe).pid}/environ")
      expect(environment).to include('PATH=')
      expect(environment).not_to include('OF_AN_EXAMPLE')
    ensure
      ENV.delete('OF_AN_EXAMPLE')
    end

    it 'leaves no process' do
      process.ask(job)
      pid = process.instance_variable_get(:@pipe).pid
      process.close
      expect { Process.kill(0, pid) }.to raise_error(Errno::ESRCH)
    end
  end
end
