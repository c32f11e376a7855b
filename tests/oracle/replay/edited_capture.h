#pragma once

#include "tests/fixtures/capture/hdf5_edit.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace plumbline {

/// A golden capture's copy that a test may change.
class EditedCapture {
 public:
  explicit EditedCapture(const std::string& golden) : path_(folder_.file(golden + ".h5")) {
    std::filesystem::copy_file(golden_path(golden), path_);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
  }
  const std::string& path() const { return path_; }

  /// Passes the numbers of a float32 dataset through `change`.
  void change_floats(const std::string& dataset,
                     const std::function<void(std::vector<float>&)>& change) const {
    change_as<float>(dataset, H5T_NATIVE_FLOAT, change);
  }
  void change_integers(const std::string& dataset,
                       const std::function<void(std::vector<std::int64_t>&)>& change) const {
    change_as<std::int64_t>(dataset, H5T_NATIVE_INT64, change);
  }
  void drop_dataset(const std::string& dataset) const {
    edit(path_, [&](hid_t file) { drop(file, dataset); });
  }

 private:
  template <typename Number>
  void change_as(const std::string& dataset, hid_t type,
                 const std::function<void(std::vector<Number>&)>& change) const {
    edit(path_, [&](hid_t file) {
      const Hdf5Handle opened(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT));
      const Hdf5Handle space(H5Dget_space(opened));
      std::vector<Number> numbers(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
      must(H5Dread(opened, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
      change(numbers);
      must(H5Dwrite(opened, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
    });
  }

  TempDir folder_;
  std::string path_;
};

}  // namespace plumbline
