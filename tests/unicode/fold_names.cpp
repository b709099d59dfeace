/// Prints the folded form of each line, for folding_test.py.
#include <iostream>
#include <string>

#include "domain/case_folding.hpp"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << pmg::domain::folded_name(line, pmg::domain::Tail::kept) << '\n';
  }
  return 0;
}
