#include "options.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmg::app {
namespace {

auto into(std::vector<std::string>& target) {
  return [&target](std::string text) { target.push_back(std::move(text)); };
}

auto into(std::string& target) {
  return [&target](std::string text) { target = std::move(text); };
}

auto into(std::optional<std::string>& target) {
  return [&target](std::string text) { target = std::move(text); };
}

}  // namespace

void Options::value(std::string_view name, std::string_view value,
                    std::optional<std::string>& target, std::string_view help,
                    Completion completion) {
  add({name, value, help, Arity::value, completion}, into(target));
}

void Options::values(std::string_view name, std::string_view value,
                     std::vector<std::string>& target, std::string_view help,
                     Completion completion) {
  add({name, value, help, Arity::values, completion}, into(target));
}

void Options::argument(std::string_view value, std::string& target, Completion completion) {
  add({{}, value, {}, Arity::argument, completion}, into(target));
}

void Options::optional_argument(std::string_view value, std::optional<std::string>& target,
                                Completion completion) {
  add({{}, value, {}, Arity::optional_argument, completion}, into(target));
}

void Options::arguments(std::string_view value, std::vector<std::string>& target,
                        Completion completion) {
  add({{}, value, {}, Arity::arguments, completion}, into(target));
}

void Options::optional_arguments(std::string_view value, std::vector<std::string>& target,
                                 Completion completion) {
  add({{}, value, {}, Arity::optional_arguments, completion}, into(target));
}

std::vector<OptionText> Options::texts() const {
  std::vector<OptionText> texts;
  std::ranges::transform(options_, std::back_inserter(texts), &Option::text);
  return texts;
}

}  // namespace pmg::app
