"""Starts a program on a machine that lacks something, made by a seccomp filter.

    crippled.py ERRNO NUMBER… -- PROGRAM ARGUMENTS…      the system calls of these numbers fail with ERRNO
    crippled.py supervised -- PROGRAM ARGUMENTS…         a listener is above it already, and lets everything pass
"""
import ctypes
import fcntl
import os
import platform
import struct
import sys

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
NEW_LISTENER = 8


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def program(lines):
    text = b"".join(struct.pack("HBBI", *line) for line in lines)
    buffer = ctypes.create_string_buffer(text, len(text))
    return Program(len(lines), ctypes.addressof(buffer)), buffer


def main():
    split = sys.argv.index("--")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return 125
    if sys.argv[1] == "supervised":
        code, _kept = program([(RETURN, 0, 0, ALLOW)])
        seccomp = 317 if platform.machine() == "x86_64" else 277
        listener = libc.syscall(seccomp, 1, NEW_LISTENER, ctypes.byref(code))
        if listener < 0:
            return 125
        fcntl.fcntl(listener, fcntl.F_SETFD, 0)
    else:
        lines = [(LOAD, 0, 0, 0)]
        for number in sys.argv[2:split]:
            lines += [(EQUAL, 0, 1, int(number)), (RETURN, 0, 0, ERRNO | int(sys.argv[1]))]
        code, _kept = program([*lines, (RETURN, 0, 0, ALLOW)])
        if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(code), 0, 0) != 0:
            return 125
    os.execv(sys.argv[split + 1], sys.argv[split + 1:])
    return 125


if __name__ == "__main__":
    sys.exit(main())
