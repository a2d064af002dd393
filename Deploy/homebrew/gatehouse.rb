# Not run here: our machines are not Macs. `brew install --build-from-source ./Deploy/homebrew/gatehouse.rb`
class Gatehouse < Formula
  desc "Account server for the Supabase Auth protocol, with a profile gateway"
  homepage "https://github.com/example/gatehouse"
  license "MIT"
  # A release sets url and sha256; until then it is built from the main branch.
  head "https://github.com/example/gatehouse.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "argon2"
  depends_on "libpq"
  depends_on "libxcrypt"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "qrencode"
  depends_on "sqlite"

  def install
    # The whole package, not the client alone (Package.swift).
    ENV["GATEHOUSE_COMPLETE"] = "1"
    system "swift", "build", "--disable-sandbox", "--configuration", "release", "--product", "gatehouse"
    bin.install ".build/release/gatehouse"
    generate_completions_from_executable(bin/"gatehouse", "completions", shells: [:bash, :zsh, :fish])
    (share/"doc/gatehouse/examples").install "Deploy/gatehouse.yaml", "Deploy/nginx.conf"
  end

  service do
    run [opt_bin/"gatehouse", "serve", "--config", etc/"gatehouse/gatehouse.yaml"]
    keep_alive true
    working_dir var/"gatehouse"
    log_path var/"log/gatehouse.log"
    error_log_path var/"log/gatehouse.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gatehouse version") unless build.head?
    assert_match "USAGE: gatehouse", shell_output("#{bin}/gatehouse --help")
  end
end
