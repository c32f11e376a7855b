#include "fixtures/temporary_file.h"
#include "oracle/cli/program.h"

int main(int argc, char** argv) {
  plumbline::remove_temporaries_when_interrupted();
  return plumbline::run_program(argc, argv);
}
