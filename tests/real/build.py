#!/usr/bin/env python3
"""Compiling and testing C and C++ under the exec profile."""
import work

MAKEFILE = """\
OBJECTS := $(patsubst %.c,%.o,$(wildcard src/*.c))
all: app libx.so
app: main.o libx.a
\t$(CC) -o $@ $^ -pthread
libx.a: $(OBJECTS)
\t$(AR) rcsD $@ $^
libx.so: $(OBJECTS)
\t$(CC) -shared -o $@ $^
%.o: %.c
\t$(CC) -O1 -fPIC -MMD -c -o $@ $<
-include $(wildcard *.d src/*.d)
"""

CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(demo C CXX)
add_library(part STATIC part.cpp)
add_executable(demo main.cpp)
target_link_libraries(demo PRIVATE part)
add_custom_command(OUTPUT gen.h COMMAND sh -c "echo 'enum { N = 7 };' >gen.h" VERBATIM)
target_sources(demo PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/gen.h)
target_include_directories(demo PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
install(TARGETS demo)
enable_testing()
add_test(NAME runs COMMAND demo)
"""


class Builds(work.Work):
    def c_project(self):
        self.write("Makefile", MAKEFILE)
        for i in range(12):
            self.write(f"src/f{i}.c", f"#include <stdio.h>\n#include <stdlib.h>\nint f{i}(int n) {{ return n + {i} + abs(n); }}\n")
        self.write("main.c", "#include <pthread.h>\n#include <stdio.h>\nint f3(int);\nstatic void* go(void* p) { printf(\"%d\\n\", f3(1)); return p; }\n"
                             "int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); return pthread_join(t, 0); }\n")

    def test_make(self):
        self.need("make", "gcc")
        self.c_project()
        self.prepare("cp -r . ../src")
        script = "make -s -j4 && ./app && touch src/f1.c && make -s -j4 && nm -D libx.so | grep -c ' T f' && strip app && ./app && make -q"
        self.assertEqual(self.same(script, setup="cp -r ../src/. ."), "5\n12\n5\n")

    def test_cmake(self):
        self.need("cmake", "g++")
        self.write("CMakeLists.txt", CMAKE)
        self.write("part.cpp", "#include <string>\nstd::string part() { return \"part\"; }\n")
        self.write("main.cpp", "#include <iostream>\n#include \"gen.h\"\nstd::string part();\nint main() { std::cout << part() << N << '\\n'; }\n")
        self.prepare("cp -r . ../src")
        script = ("cmake -S . -B build -DCMAKE_BUILD_TYPE=Release >/dev/null && cmake --build build -j2 >/dev/null && build/demo && "
                  "(cd build && ctest >/dev/null && echo tested) && cmake --install build --prefix out >/dev/null && out/bin/demo")
        # The logs of the configuration name the temporary directories of its probes.
        self.assertEqual(self.same(script, setup="cp -r ../src/. .", ignore=r"\.log$|\.yaml$|/Testing/|ABI\.bin|LastTest|\.marks$|CMakeScratch|CTestCostData|/CMakeFiles/3\."), "part7\ntested\npart7\n")

    def test_ninja_and_ccache(self):
        self.need("cmake", "ninja", "ccache", "g++")
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(demo CXX)\nadd_executable(demo main.cpp)\n")
        self.write("main.cpp", "int main() { return 0; }\n")
        done = self.inside("for i in 1 2; do rm -rf b; cmake -G Ninja -S . -B b -DCMAKE_CXX_COMPILER_LAUNCHER=ccache >/dev/null && ninja -C b >/dev/null && "
                           "b/demo || exit 1; done; ccache -s -v | grep -ci 'hits'")
        self.good(done)

    def test_program_that_was_just_built_starts(self):
        self.need("gcc")
        done = self.inside("printf 'int main(void){return 7;}' | gcc -x c - -o a.out; ./a.out; echo $?; cp a.out b.out; ./b.out; echo $?; "
                           "cp a.out /tmp/pmg-real-a.out; /tmp/pmg-real-a.out; echo $?; rm -f /tmp/pmg-real-a.out")
        lines = self.good(done).splitlines()
        self.assertEqual(lines[:2] + lines[-1:], ["7", "7", "126"], lines)


if __name__ == "__main__":
    work.main()
