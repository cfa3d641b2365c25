// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Host code alone, with the C++ library.
#include "whole.h"

#include <map>
#include <string>
#include <vector>

const int WEIGHT_COUNT = 4;

int devices_by_host_code() {
    std::map<std::string, std::vector<int>> found;
    int count = 0;
    OK(cudaGetDeviceCount(&count));
    found["devices"].assign(1, count);
    return found.at("devices").front();
}
