// For tests of recordings: a folder of a test, and its environment.

#ifndef TFPROF_PROFILER_RECORD_RECORD_TESTING_H_
#define TFPROF_PROFILER_RECORD_RECORD_TESTING_H_

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace tfprof::recording {

// Variables that a test sets are afterwards as they were.
class RecordFilesTest : public ::testing::Test {
 protected:
  RecordFilesTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/" + test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    folder_ = std::filesystem::canonical(folder_).string();
  }
  ~RecordFilesTest() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
    std::filesystem::remove_all(folder_);
  }
  void Set(const std::string& name, const std::string& value) {
    const char* const before = getenv(name.c_str());
    before_.try_emplace(name, before == nullptr
                                  ? std::nullopt
                                  : std::optional<std::string>(before));
    setenv(name.c_str(), value.c_str(), 1);
  }

  std::string folder_;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace tfprof::recording

#endif  // TFPROF_PROFILER_RECORD_RECORD_TESTING_H_
