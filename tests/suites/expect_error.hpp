// Calls that must be refused: the error's code, and what its message has to say.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fathom/core/error.hpp"

namespace fathom::testing {

/// call() must throw Error(code) whose message contains `part`. Returns the message.
template <class Call>
std::string expect_error(ErrorCode code, const Call& call, const std::string& part = "") {
  std::string message;
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    message = error.what();
    EXPECT_EQ(error.code(), code) << message;
    EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
  }
  return message;
}

}  // namespace fathom::testing
