/* A program that is made here, so that what starts is known to the byte, and needs no loader.

     makes("program", "ran", NULL);   prints "ran" when it is started
     ran(becomes, "program");         0 if what `becomes` executes prints "ran" */
#ifndef PMG_TESTS_ESCAPE_TINY_PROGRAM_H
#define PMG_TESTS_ESCAPE_TINY_PROGRAM_H

#include <elf.h>
#include <stddef.h>

#include "attack.h"

// A program of one page that prints `word`, three letters, and ends; with the loader that it names, if any.
static UNUSED long makes(const char* path, const char* word, const char* loader) {
#ifdef __x86_64__
  static const unsigned char code[] = {
      0xb8, 1,    0,    0,   0,   0xbf, 1,    0, 0, 0,  // mov eax, SYS_write; mov edi, 1
      0x48, 0x8d, 0x35, 16,  0,   0,    0,              // lea rsi, [rip + 16]
      0xba, 4,    0,    0,   0,   0x0f, 0x05,           // mov edx, 4; syscall
      0xb8, 60,   0,    0,   0,   0x31, 0xff,           // mov eax, SYS_exit; xor edi, edi
      0x0f, 0x05, 'r',  'a', 'n', '\n'};                // syscall
  struct {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    unsigned char code[64];
    char loader[128];
  } file;
  memset(&file, 0, sizeof file);
  memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_ident[EI_VERSION] = EV_CURRENT;
  file.header.e_type = ET_DYN;
  file.header.e_machine = EM_X86_64;
  file.header.e_version = EV_CURRENT;
  file.header.e_entry = offsetof(__typeof__(file), code);
  file.header.e_phoff = offsetof(__typeof__(file), segments);
  file.header.e_ehsize = sizeof file.header;
  file.header.e_phentsize = sizeof file.segments[0];
  file.header.e_phnum = loader ? 2 : 1;
  file.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                                  .p_flags = PF_R | PF_X,
                                  .p_filesz = sizeof file,
                                  .p_memsz = sizeof file,
                                  .p_align = 4096};
  memcpy(file.code, code, sizeof code);
  memcpy(file.code + sizeof code - 4, word, 3);
  if (loader) {
    strncpy(file.loader, loader, sizeof file.loader - 1);
    file.segments[1] = (Elf64_Phdr){.p_type = PT_INTERP,
                                    .p_flags = PF_R,
                                    .p_offset = offsetof(__typeof__(file), loader),
                                    .p_filesz = strlen(loader) + 1,
                                    .p_memsz = strlen(loader) + 1,
                                    .p_align = 1};
  }
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  const ssize_t size = fd < 0 ? -1 : write(fd, &file, sizeof file);
  close(fd);
  return size == (ssize_t)sizeof file ? 0 : -1;
#else
  (void)path;
  (void)word;
  (void)loader;
  return 0;
#endif
}

// 0 if a child that calls `become` prints "ran".
static UNUSED long ran(long (*become)(void*), void* argument) {
  char output[64];
  const long size = output_of(become, argument, output, sizeof output);
  if (size < 0) {
    return -1;
  }
  detail(output, (size_t)size);
  return memmem(output, (size_t)size, "ran", 3) ? 0 : refuse(ENODATA);
}

#endif
