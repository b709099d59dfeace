// Line 10: a secret that somebody outside makes after the start, at depth 1 and 12. A rule such as
// `**/.env` is a pattern and no list of files: the name is judged when it is used.
// outsider:
// changes: d1/*
// changes: late/*
// changes: other/*
// changes: made/*
// changes: .env.*
// says: refused read ${CWD}/d1/.*/\.env\S*: deny_read
#include "attack.h"

#define DEEP "d1/d2/d3/d4/d5/d6/d7/d8/d9/d10/d11"

static long hide(const char* directory, const char* name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/", directory);
  for (char* slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0755);
    *slash = '/';
  }
  return writes(text("%s/%s", directory, name), text("TOKEN=%s\n", getenv("SECRET")));
}

static int outside(void) {
  printf("ready\n");
  fflush(stdout);
  await_path("go");
  const int good = hide("late", ".env") > 0 && hide(DEEP, ".env") > 0 &&
                   hide(DEEP, ".env.local") > 0 && hide(".", ".env.production") > 0 &&
                   hide("late/.ssh", "id") > 0 && hide(DEEP "/.aws", "credentials") > 0 &&
                   hide("late/.docker", "config.json") > 0 && hide("made/deep", ".env") > 0;
  plants("made.now");
  return good ? 0 : 1;
}

int main(int count, char** words) {
  begin();
  if (count > 1 && strcmp(words[1], "outside") == 0) {
    return outside();
  }
  // Places that are there, and known to the broker, before the secret is.
  mkdir("made", 0755);
  mkdir("made/deep", 0755);
  const int made = open("made/deep", O_PATH | O_DIRECTORY);
  opens("made/deep/.env", O_RDONLY);
  symlink("late/.env", "dangling");
  plants("go");
  await_path("made.now");
  TRY("depth-1", steals("late/.env"));
  TRY("depth-12", steals(DEEP "/.env"));
  TRY("glob-1", steals(".env.production"));
  TRY("glob-12", steals(DEEP "/.env.local"));
  TRY("directory-1", steals("late/.ssh/id"));
  TRY("directory-12", steals(DEEP "/.aws/credentials"));
  TRY("two-segments", steals("late/.docker/config.json"));
  TRY("descriptor", steals_at(made, ".env"));
  TRY("dangling", steals("dangling"));
  TRY("own-directory", rename("made", "other") < 0 ? -1 : steals("other/deep/.env"));
  return 0;
}
