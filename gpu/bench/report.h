#pragma once

#include "gpu/bench/timing.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace plumbline::gpu::bench {

/// The JSON record of a run, written as it grows, and its short table.
class Report {
 public:
  explicit Report(std::string path) : path_(std::move(path)) {}

  void fact(const std::string& name, const std::string& value) {
    add("facts", "\"" + name + "\": \"" + value + "\"");
  }
  void fact(const std::string& name, double value) { add("facts", "\"" + name + "\": " + number(value)); }
  void check(const std::string& name, bool passed, const std::string& fields) {
    failed_ += passed ? 0 : 1;
    checks_.push_back("{\"name\": \"" + name + "\", \"status\": \"" + (passed ? "PASS" : "FAIL") + "\", " +
                      fields + "}");
    if (!passed) std::printf("FAIL %s %s\n", name.c_str(), fields.c_str());
    write();
  }
  void time(const std::string& name, const Timing& t, const std::string& fields = "") {
    times_.push_back("{\"name\": \"" + name + "\", \"median_ms\": " + number(t.median_ms) +
                     ", \"min_ms\": " + number(t.min_ms) + ", \"max_ms\": " + number(t.max_ms) +
                     (fields.empty() ? "" : ", " + fields) + "}");
    std::printf("%-58s %9.4f ms  (%.4f - %.4f) %s\n", name.c_str(), t.median_ms, t.min_ms, t.max_ms,
                fields.c_str());
    write();
  }
  int failed() const { return failed_; }
  std::size_t checks() const { return checks_.size(); }

 private:
  static std::string number(double value) {
    std::ostringstream text;
    text.precision(12);
    text << value;
    return text.str();
  }
  void add(const char*, const std::string& field) {
    facts_.push_back(field);
    write();
  }
  static std::string join(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "\n    " : ",\n    ") + part;
    return text;
  }
  void write() const {
    std::ofstream file(path_);
    file << "{\n  \"schema\": \"plumbline-gpu-select\", \"version\": 1,\n  \"facts\": {" << join(facts_)
         << "},\n  \"checks\": [" << join(checks_) << "],\n  \"times\": [" << join(times_) << "]\n}\n";
  }

  std::string path_;
  std::vector<std::string> facts_, checks_, times_;
  int failed_ = 0;
};

}  // namespace plumbline::gpu::bench
