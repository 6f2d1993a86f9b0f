/* The C ABI of shardlane. Generated from capi/src by `make header`: do not edit. */
/* SPDX-License-Identifier: MIT OR Apache-2.0 */

#ifndef SHARDLANE_H
#define SHARDLANE_H


#define SHARDLANE_VERSION "0.1.0"
#define SHARDLANE_VERSION_MAJOR 0
#define SHARDLANE_VERSION_MINOR 1
#define SHARDLANE_VERSION_PATCH 0


#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, for example "0.1.0". The text lives as long as the program.
const char *shardlane_version(void);

// The instructions that keys are hashed with on this machine, for example "avx2"; "unknown" if
// they could not be found out. The text lives as long as the program.
const char *shardlane_backend_name(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SHARDLANE_H */
