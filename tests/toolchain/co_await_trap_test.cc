// The proof behind a rule of this house: a statement with co_await holds names and calls, no braces
// and no lambda. g++ 12 destroys an aggregate or a capture that is made within such a statement
// once more than it makes it. With a string in it that is a double free; here the lives are only
// counted.
#include <gtest/gtest.h>

#include <coroutine>
#include <utility>

namespace fencepost {
namespace {

struct Lives {
  int made = 0;
  int ended = 0;
};

class Tracked {
 public:
  explicit Tracked(Lives& lives) : lives_(lives) { ++lives_.made; }
  Tracked(const Tracked& other) : lives_(other.lives_) { ++lives_.made; }
  Tracked& operator=(const Tracked&) = delete;
  ~Tracked() { ++lives_.ended; }

 private:
  Lives& lives_;
};

struct Request {
  Tracked group;
  int generation = 0;
};

// The least that is a coroutine: it begins when made, and ends suspended.
struct Program {
  struct promise_type {
    Program get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

std::suspend_always call(const Request&) { return {}; }

template <class Function>
std::suspend_always call_function(Function function) {
  function();
  return {};
}

Program with_braces(Lives& lives) {
  const Tracked group(lives);
  co_await call(Request{.group = group, .generation = 1});
}

Program with_a_lambda(Lives& lives) {
  const Tracked group(lives);
  co_await call_function([group] {});
}

Program with_names(Lives& lives) {
  const Tracked group(lives);
  const Request request{.group = group, .generation = 1};
  co_await call(request);
}

Program with_a_named_lambda(Lives& lives) {
  const Tracked group(lives);
  const auto function = [group] {};
  co_await call_function(function);
}

// How many more lives have ended than were begun when the coroutine has run and is gone.
int surplus_of_ends(Program (*program)(Lives&)) {
  Lives lives;
  const Program running = program(lives);
  running.handle.resume();
  EXPECT_TRUE(running.handle.done());
  running.handle.destroy();
  EXPECT_GT(lives.made, 0);
  return lives.ended - lives.made;
}

TEST(CoAwait, WithNamesAndCallsEndsEveryLifeOnce) {
  EXPECT_EQ(surplus_of_ends(with_names), 0);
  EXPECT_EQ(surplus_of_ends(with_a_named_lambda), 0);
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12
// If this fails the compiler has been repaired: the rule, and this file, may go.
TEST(CoAwait, WithBracesOrALambdaEndsALifeTwiceInThisCompiler) {
  EXPECT_EQ(surplus_of_ends(with_braces), 1);
  EXPECT_EQ(surplus_of_ends(with_a_lambda), 1);
}
#else
TEST(CoAwait, WithBracesOrALambdaEndsALifeAtLeastOnce) {
  EXPECT_GE(surplus_of_ends(with_braces), 0);
  EXPECT_GE(surplus_of_ends(with_a_lambda), 0);
}
#endif

}  // namespace
}  // namespace fencepost
