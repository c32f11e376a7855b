#include "oracle/cli/program.h"

int main(int argc, char** argv) { return plumbline::run_program(argc, argv); }
