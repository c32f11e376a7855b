#include "oracle/run/describe_capture.h"

#include "fixtures/capture/capture_writer.h"
#include "tests/fixtures/capture/hdf5_edit.h"
#include "tests/fixtures/capture/temp_dir.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

class DescribeCapture : public testing::Test {
 protected:
  void SetUp() override {
    CaptureWriter writer(path_);
    CaptureInfo info;
    info.kind = CaptureKind::select;
    writer.root_attributes(info);
    write_geometry(writer, SelectGeometry());
    writer.tensor("/select/0000/visible_blocks", Tensor(DType::int32, {3}).view());
    writer.commit();
  }
  TempDir directory_;
  std::string path_ = directory_.file("x.h5");
};

TEST_F(DescribeCapture, KeepsEachDatasetOnOneLineWithoutControlCharacters) {
  edit(path_, [](hid_t file) { put_zeros(file, "/select/0000/a\n\x1b[31m", H5T_STD_I32LE, {2}); });
  const std::string text = describe_capture(path_);
  EXPECT_NE(text.find("\n/select/0000/a??[31m         int32  [2]  8 bytes stored\n"), std::string::npos)
      << text;
}

TEST_F(DescribeCapture, RefusesGroupsThatAreLinkedIntoThemselves) {
  edit(path_, [](hid_t file) {
    must(H5Lcreate_hard(file, "/select/0000", file, "/select/0000/again", H5P_DEFAULT, H5P_DEFAULT));
  });
  EXPECT_EQ(refusal(path_, [&] { describe_capture(path_); }),
            "/: expected a tree of groups, found one without end");
}

}  // namespace
}  // namespace plumbline
