/// Where overlays are kept: one file per repository, outside of it, so that no clone brings one.
///
///   OverlayStore store("/home/u/.config/safedep/pmg/sandbox/overlays");
///   auto overlay = store.load(project, surroundings);     // expected<optional<Overlay>,
///   LoadError>
///
/// OV3: a file is replaced whole and under a lock: two who add at once lose nothing.
/// OV4: what nothing opens (hooks of git, pmg's own files) is an error, also in a file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "adapters/overlay/overlay.hpp"
#include "adapters/yaml/load_error.hpp"
#include "domain/compiled.hpp"
#include "domain/overrides.hpp"
#include "domain/path.hpp"
#include "platform/os_error.hpp"

namespace pmg::adapters {

using StoreError = std::variant<LoadError, platform::OsError>;

struct OverlayRow {
  std::string file;
  Overlay overlay;
  std::optional<LoadError> error;  ///< why it does not load
};

/// What an addition did.
struct Added {
  Overlay overlay;                            ///< as it is now
  std::vector<domain::OverrideText> entries;  ///< those that were new
};

class OverlayStore {
 public:
  /// `directory` need not exist.
  explicit OverlayStore(std::string directory) noexcept : directory_(std::move(directory)) {}

  /// The first 16 hexadecimal digits of the SHA-256 of the path, and `.yml`.
  [[nodiscard]] std::string file_of(const domain::AbsolutePath& project) const;

  /// Nothing where the repository has none.
  [[nodiscard]] tl::expected<std::optional<Overlay>, LoadError> load(
      const domain::AbsolutePath& project, const domain::Surroundings& surroundings) const;

  /// `now`: RFC 3339, UTC.
  [[nodiscard]] tl::expected<Added, StoreError> add(
      const domain::AbsolutePath& project, const std::vector<domain::OverrideText>& entries,
      const domain::Surroundings& surroundings, const std::string& now) const;

  /// Whether there was one. It need not be readable.
  [[nodiscard]] tl::expected<bool, platform::OsError> remove(
      const domain::AbsolutePath& project) const;

  /// By file name.
  [[nodiscard]] std::vector<OverlayRow> list() const;

 private:
  std::string directory_;
};

}  // namespace pmg::adapters
