# The formula of the published archive, for Homebrew on Linux. `scripts/dist` fills in version and checksum.
class Flowrun < Formula
  desc "Workflow engine: steps with dependencies, deadlines and a launch gate"
  homepage "https://example.invalid/flowrun"
  url "https://example.invalid/flowrun/flowrun-@VERSION@-linux-x86_64.tar.gz"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install "bin/flowrun"
    share.install Dir["share/*"]
  end

  test do
    (testpath/"hello.yaml").write <<~YAML
      name: hello
      steps:
        greet: { run: echo hello }
    YAML
    assert_match "greet: hello", shell_output("#{bin}/flowrun hello.yaml")
  end
end
