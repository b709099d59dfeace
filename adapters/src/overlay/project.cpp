#include "adapters/overlay/project.hpp"

#include <tl/expected.hpp>

#include "adapters/caller.hpp"
#include "adapters/canonical.hpp"
#include "adapters/git/layout.hpp"
#include "adapters/surroundings.hpp"
#include "domain/path.hpp"
#include "domain/pattern.hpp"

namespace pmg::adapters {

tl::expected<domain::AbsolutePath, WorkingDirectoryErrc> project_of(
    const Caller& caller, const domain::Variables& variables) {
  const auto repository = repository_of(git_context(caller, variables));
  domain::AbsolutePath project = repository.value_or(canonical(variables.cwd));
  const auto usable = check_working_directory({variables.home, project, variables.tmpdir});
  return usable ? tl::expected<domain::AbsolutePath, WorkingDirectoryErrc>(project)
                : tl::unexpected(usable.error());
}

}  // namespace pmg::adapters
