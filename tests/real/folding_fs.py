"""A FUSE file system that shows a directory and folds names as ext4 does in its case-folding directories.

    folding_fs.py DIRECTORY MOUNT_POINT        # serves until it is unmounted or killed

Without case, after canonical decomposition, without characters that may be ignored. Names are kept as they were created.
"""
import os
import sys
import unicodedata

import fusepy as fuse

IGNORED = dict.fromkeys([0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0xFE00, 0xFE10)])


def folded(name):
    canonical = unicodedata.normalize("NFD", name).translate(IGNORED).casefold()
    return unicodedata.normalize("NFD", canonical)


class Folding(fuse.Operations):
    def __init__(self, top):
        self.top = top

    def real(self, path):
        """Where the path is below: each component as it was created, or as it is written where nothing is."""
        found = self.top
        for name in path.split("/")[1:]:
            if name and not os.path.lexists(os.path.join(found, name)) and os.path.isdir(found):
                name = next((entry for entry in os.listdir(found) if folded(entry) == folded(name)), name)
            found = os.path.join(found, name) if name else found
        return found

    def getattr(self, path, fh=None):
        info = os.lstat(self.real(path))
        return {key: getattr(info, key) for key in
                ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime", "st_mtime", "st_ctime", "st_ino")}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.real(path))]

    def readlink(self, path):
        return os.readlink(self.real(path))

    def access(self, path, mode):
        return 0

    def statfs(self, path):
        info = os.statvfs(self.top)
        return {key: getattr(info, key) for key in ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree",
                                                    "f_files", "f_frsize", "f_namemax")}

    def mkdir(self, path, mode):
        os.mkdir(self.real(path), mode)

    def rmdir(self, path):
        os.rmdir(self.real(path))

    def unlink(self, path):
        os.unlink(self.real(path))

    def symlink(self, path, target):
        os.symlink(target, self.real(path))

    def rename(self, old, new):
        os.rename(self.real(old), self.real(new))

    def link(self, path, target):
        os.link(self.real(target), self.real(path))

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)

    def chown(self, path, uid, gid):
        os.lchown(self.real(path), uid, gid)

    def utimens(self, path, times=None):
        os.utime(self.real(path), times, follow_symlinks=False)

    def truncate(self, path, length, fh=None):
        os.truncate(self.real(path), length)

    def open(self, path, flags):
        # The kernel reads pages of files that are only written to.
        return os.open(self.real(path), os.O_RDWR if flags & os.O_ACCMODE else os.O_RDONLY)

    def create(self, path, mode, fi=None):
        return os.open(self.real(path), os.O_RDWR | os.O_CREAT, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def flush(self, path, fh):
        return 0

    def fsync(self, path, datasync, fh):
        return os.fsync(fh)

    def release(self, path, fh):
        return os.close(fh)


if __name__ == "__main__":
    fuse.FUSE(Folding(sys.argv[1]), sys.argv[2], foreground=True, nothreads=True, default_permissions=True)
