// The header and the library serve C++17 as well, from several threads at once.

#include "shardlane.h"

#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

int main() {
    const std::string_view backend = shardlane_backend_name();
    std::vector<char> same(8, 0);
    std::vector<std::thread> threads;
    for (char &answer : same) {
        threads.emplace_back([&answer, backend] { answer = backend == shardlane_backend_name(); });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    int failed = std::string_view(shardlane_version()) != SHARDLANE_VERSION;
    std::printf("the version of the library is the header's ... %s\n", failed ? "FAILED" : "ok");
    for (const char answer : same) {
        failed += !answer;
    }
    std::printf("all threads hear of one back end ... %s\n", failed ? "FAILED" : "ok");
    return failed != 0;
}
