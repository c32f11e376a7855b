#pragma once

namespace plumbline {

/// The page's style sheet: light and dark, from 320 pixels on, printable.
extern const char* const kHtmlStyle;

}  // namespace plumbline
