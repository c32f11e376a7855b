#include "reference/numeric/ulp.h"
