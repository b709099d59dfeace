// Starts a program with every variable of the built-in list set to a secret, in several spellings: 46_environment.c.
//
//     46_launch SECRET PROGRAM ARGUMENTS…
//
// Writes the names, each in the spelling that is set, one a line, to the file `names`. A shell or setenv(3) would keep neither two
// entries of one name nor a name that is set twice.
#include <cctype>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "domain/mandatory.hpp"

namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

// Every second letter small.
std::string mixed(std::string text) {
  for (std::size_t i = 1; i < text.size(); i += 2) {
    text[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  return text;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    return 2;
  }
  const std::string secret = words[1];
  std::ofstream names("names");
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  for (const std::string_view name : pmg::domain::secret_variables()) {
    const std::string usual(name);
    for (const std::string& spelling : {usual, lower(usual), mixed(usual)}) {
      names << spelling << '\n';
      entries.push_back(spelling + "=" + secret);
    }
    // A second entry of the name: programs differ in which of two they take.
    entries.push_back(usual + "=" + secret);
  }
  names.close();
  std::vector<char*> environment;
  environment.reserve(entries.size() + 1);
  for (std::string& entry : entries) {
    environment.push_back(entry.data());
  }
  environment.push_back(nullptr);
  execvpe(words[2], words + 2, environment.data());
  std::perror(words[2]);
  return 127;
}
