#include "tests/support/fault_vfs.h"

#include <unistd.h>

namespace benchd {

/// SQLite allocates it; the real file follows directly after it.
struct FaultVfs::File {
  sqlite3_file base;
  FaultVfs* vfs;
  bool is_log;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  static sqlite3_file* RealOf(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }
};

namespace {

/// A method that only forwards its arguments.
template <auto Method>
struct Passed;
template <typename... Arguments, int (*sqlite3_io_methods::*Method)(sqlite3_file*, Arguments...)>
struct Passed<Method> {
  template <sqlite3_file* (*RealOf)(sqlite3_file*)>
  static int On(sqlite3_file* file, Arguments... arguments) {
    sqlite3_file* const real = RealOf(file);
    return (real->pMethods->*Method)(real, arguments...);
  }
};

}  // namespace

const sqlite3_io_methods* FaultVfs::Methods() {
  using Io = sqlite3_io_methods;
  constexpr auto kReal = &File::RealOf;
  static const Io methods{.iVersion = 3,
                          .xClose = &Passed<&Io::xClose>::On<kReal>,
                          .xRead = &Passed<&Io::xRead>::On<kReal>,
                          .xWrite = &Write,
                          .xTruncate = &Truncate,
                          .xSync = &Sync,
                          .xFileSize = &Passed<&Io::xFileSize>::On<kReal>,
                          .xLock = &Passed<&Io::xLock>::On<kReal>,
                          .xUnlock = &Passed<&Io::xUnlock>::On<kReal>,
                          .xCheckReservedLock = &Passed<&Io::xCheckReservedLock>::On<kReal>,
                          .xFileControl = &Passed<&Io::xFileControl>::On<kReal>,
                          .xSectorSize = &Passed<&Io::xSectorSize>::On<kReal>,
                          .xDeviceCharacteristics = &Passed<&Io::xDeviceCharacteristics>::On<kReal>,
                          .xShmMap = &Passed<&Io::xShmMap>::On<kReal>,
                          .xShmLock = &Passed<&Io::xShmLock>::On<kReal>,
                          .xShmBarrier =
                              [](sqlite3_file* file) {
                                sqlite3_file* const real = File::RealOf(file);
                                real->pMethods->xShmBarrier(real);
                              },
                          .xShmUnmap = &Passed<&Io::xShmUnmap>::On<kReal>,
                          .xFetch = &Passed<&Io::xFetch>::On<kReal>,
                          .xUnfetch = &Passed<&Io::xUnfetch>::On<kReal>};
  return &methods;
}

FaultVfs::FaultVfs() : real_(sqlite3_vfs_find(nullptr)), own_(*real_) {
  own_.pAppData = this;
  own_.zName = "fault";
  own_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
  own_.xOpen = &Open;
  own_.xGetLastError = &LastError;
  sqlite3_vfs_register(&own_, 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&own_);
  sqlite3_vfs_register(real_, 1);
}

int FaultVfs::Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                   int* out_flags) {
  File* const own = reinterpret_cast<File*>(file);
  own->vfs = static_cast<FaultVfs*>(vfs->pAppData);
  own->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  sqlite3_vfs* const behind = own->vfs->real_;
  const int status = behind->xOpen(behind, name, own->real(), flags, out_flags);
  file->pMethods = own->real()->pMethods != nullptr ? Methods() : nullptr;
  return status;
}

int FaultVfs::LastError(sqlite3_vfs* vfs, int size, char* text) {
  const FaultVfs* const own = static_cast<FaultVfs*>(vfs->pAppData);
  // No system call has failed for a simulated fault, so errno is from an earlier one.
  return own->code_ != SQLITE_OK ? 0 : own->real_->xGetLastError(own->real_, size, text);
}

void FaultVfs::CountDown() {
  if (mortal_ && --left_to_live_ == 0) ::_exit(kDied);
}

FaultVfs& FaultVfs::Of(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->vfs; }

int FaultVfs::Write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  Of(file).CountDown();
  if (Of(file).code_ != SQLITE_OK) return Of(file).code_;
  sqlite3_file* const real = File::RealOf(file);
  sqlite3_int64 length = 0;
  const int status = real->pMethods->xFileSize(real, &length);
  if (status != SQLITE_OK) return status;
  const bool is_log = reinterpret_cast<File*>(file)->is_log;
  if (Of(file).full_ && (is_log || offset + size > length)) return SQLITE_FULL;
  return real->pMethods->xWrite(real, data, size, offset);
}

int FaultVfs::Truncate(sqlite3_file* file, sqlite3_int64 size) {
  Of(file).CountDown();
  sqlite3_file* const real = File::RealOf(file);
  return real->pMethods->xTruncate(real, size);
}

int FaultVfs::Sync(sqlite3_file* file, int flags) {
  Of(file).CountDown();
  ++(reinterpret_cast<File*>(file)->is_log ? Of(file).log_syncs_ : Of(file).file_syncs_);
  if (Of(file).mortal_) return SQLITE_OK;
  sqlite3_file* const real = File::RealOf(file);
  return real->pMethods->xSync(real, flags);
}

}  // namespace benchd
