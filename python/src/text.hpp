// Text of the core for Python: its bytes need not be UTF-8.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace fathom::python {

namespace nb = nanobind;

inline nb::object decoded(std::string_view text, const char* others) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), others));
}

/// A label, or a name that has one: a str that encodes back to the same bytes.
inline nb::object label_text(std::string_view text) {
  return decoded(text, "surrogateescape");
}

/// What is shown to people.
inline nb::object message_text(std::string_view text) {
  return decoded(text, "backslashreplace");
}

}  // namespace fathom::python
