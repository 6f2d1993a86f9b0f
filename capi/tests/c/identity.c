/* The library says who it is, in C11. Exit code 0 and one line for each check. */

#include "shardlane.h"

#include <stdio.h>
#include <string.h>

static int failed = 0;

static void check(const char *what, int holds) {
    printf("%s ... %s\n", what, holds ? "ok" : "FAILED");
    failed += !holds;
}

/* Whether `name` is one of the back ends that the header's documentation speaks of. */
static int is_backend(const char *name) {
    static const char *const known[] = {"portable", "sse2", "avx2", "avx512", "neon"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

int main(void) {
    const char *version = shardlane_version();
    char parts[64];
    snprintf(parts, sizeof parts, "%d.%d.%d", SHARDLANE_VERSION_MAJOR, SHARDLANE_VERSION_MINOR,
             SHARDLANE_VERSION_PATCH);
    check("the version of the library is the header's", strcmp(version, SHARDLANE_VERSION) == 0);
    check("the version's parts make the version", strcmp(version, parts) == 0);
    check("the version is the same text each time", version == shardlane_version());
    const char *backend = shardlane_backend_name();
    check("the back end has a name", is_backend(backend));
    check("the back end does not change", backend == shardlane_backend_name());
    printf("shardlane %s hashes with %s\n", version, backend);
    return failed != 0;
}
