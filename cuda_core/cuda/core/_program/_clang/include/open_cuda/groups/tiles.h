// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Groups within a warp, tiles of several warps, and partitions: CUDA C++ Programming Guide, "Cooperative Groups",
// "Explicit Groups" and "Group Partitioning".
#pragma once
#include "large.h"

namespace cooperative_groups {
namespace __v1 {

class coalesced_group : public thread_group {
  public:
    __OPEN_CUDA_METHOD unsigned num_threads() const { return count; }
    __OPEN_CUDA_METHOD unsigned size() const { return count; }
    __OPEN_CUDA_METHOD unsigned thread_rank() const { return __popc(mask & __open::lanes_below()); }
    __OPEN_CUDA_METHOD unsigned meta_group_rank() const { return meta_rank; }
    __OPEN_CUDA_METHOD unsigned meta_group_size() const { return meta_count; }
    __OPEN_CUDA_METHOD void sync() const { __syncwarp(mask); }
    template <class T> __OPEN_CUDA_METHOD __open::plain_t<T> shfl(T &&value, unsigned rank) const {
        return from_lane(value, rank < count ? __open::nth_bit(mask, rank) : __open::lane());
    }
    template <class T> __OPEN_CUDA_METHOD __open::plain_t<T> shfl_up(T &&value, unsigned delta) const {
        unsigned rank = thread_rank();
        return from_lane(value, delta > rank ? __open::lane() : __open::nth_bit(mask, rank - delta));
    }
    template <class T> __OPEN_CUDA_METHOD __open::plain_t<T> shfl_down(T &&value, unsigned delta) const {
        unsigned rank = thread_rank() + delta;
        return from_lane(value, rank < count ? __open::nth_bit(mask, rank) : __open::lane());
    }
    __OPEN_CUDA_METHOD int any(int predicate) const { return __ballot_sync(mask, predicate) != 0; }
    __OPEN_CUDA_METHOD int all(int predicate) const { return __ballot_sync(mask, predicate) == mask; }
    __OPEN_CUDA_METHOD unsigned ballot(int predicate) const {
        return __open::packed(mask, __ballot_sync(mask, predicate));
    }
    template <class T> __OPEN_CUDA_METHOD unsigned match_any(T value) const {
        return __open::packed(mask, __match_any_sync(mask, value));
    }
    template <class T> __OPEN_CUDA_METHOD unsigned match_all(T value, int &predicate) const {
        return __open::packed(mask, __match_all_sync(mask, value, &predicate));
    }

  private:
    __OPEN_CUDA_METHOD coalesced_group(unsigned mask, unsigned meta_rank, unsigned meta_count)
        : thread_group(LANES, mask, __popc(mask), meta_rank, meta_count) {}
    template <class T> __OPEN_CUDA_METHOD T from_lane(const T &value, unsigned source) const {
        unsigned members = mask;
        return __open::by_words(value, [=](unsigned word) { return __shfl_sync(members, word, source); });
    }
    friend struct __open::maker;
};

namespace __open {

// A tile of up to 32 threads: the functions that a warp's instructions provide.
template <unsigned Size> class lanes_tile : public thread_group {
  public:
    __OPEN_CUDA_METHOD unsigned thread_rank() const { return lane() & (Size - 1); }
    __OPEN_CUDA_METHOD void sync() const { __syncwarp(mask); }
    template <class T> __OPEN_CUDA_METHOD plain_t<T> shfl(T &&value, unsigned rank) const {
        unsigned members = mask;
        return by_words<plain_t<T>>(value, [=](unsigned word) { return __shfl_sync(members, word, rank, Size); });
    }
    template <class T> __OPEN_CUDA_METHOD plain_t<T> shfl_up(T &&value, unsigned delta) const {
        unsigned members = mask;
        return by_words<plain_t<T>>(value, [=](unsigned word) { return __shfl_up_sync(members, word, delta, Size); });
    }
    template <class T> __OPEN_CUDA_METHOD plain_t<T> shfl_down(T &&value, unsigned delta) const {
        unsigned members = mask;
        return by_words<plain_t<T>>(value, [=](unsigned word) { return __shfl_down_sync(members, word, delta, Size); });
    }
    template <class T> __OPEN_CUDA_METHOD plain_t<T> shfl_xor(T &&value, unsigned lanes) const {
        unsigned members = mask;
        return by_words<plain_t<T>>(value, [=](unsigned word) { return __shfl_xor_sync(members, word, lanes, Size); });
    }
    __OPEN_CUDA_METHOD int any(int predicate) const { return __ballot_sync(mask, predicate) != 0; }
    __OPEN_CUDA_METHOD int all(int predicate) const { return __ballot_sync(mask, predicate) == mask; }
    __OPEN_CUDA_METHOD unsigned ballot(int predicate) const { return as_ranks(__ballot_sync(mask, predicate)); }
    template <class T> __OPEN_CUDA_METHOD unsigned match_any(T value) const {
        return as_ranks(__match_any_sync(mask, value));
    }
    template <class T> __OPEN_CUDA_METHOD unsigned match_all(T value, int &predicate) const {
        return as_ranks(__match_all_sync(mask, value, &predicate));
    }

  protected:
    __OPEN_CUDA_METHOD lanes_tile(unsigned meta_rank, unsigned meta_count, unsigned *)
        : thread_group(LANES, (0xffffffffu >> (32 - Size)) << first(), Size, meta_rank, meta_count) {}
    __OPEN_CUDA_STATIC unsigned first() { return lane() & ~(Size - 1); }
    __OPEN_CUDA_METHOD unsigned as_ranks(unsigned lanes) const { return lanes >> first(); }
};

// A tile of several warps, which exchange values through shared memory.
template <unsigned Size> class warps_tile : public thread_group {
  public:
    __OPEN_CUDA_METHOD unsigned thread_rank() const { return rank_in_block() & (Size - 1); }
    __OPEN_CUDA_METHOD void sync() const { sync_warps(); }
    template <class T> __OPEN_CUDA_METHOD plain_t<T> shfl(T &&value, unsigned rank) const {
        typedef plain_t<T> V;
        static_assert(__is_trivially_copyable(V), "values to shuffle must be trivially copyable");
        V *slot = slots<V>() + rank_in_block() / Size * (Size / 32); // of the tile's first warp
        if (thread_rank() == (rank & (Size - 1))) *slot = value;
        sync();
        V result = *slot;
        sync();
        return result;
    }
    __OPEN_CUDA_METHOD int any(int predicate) const { return votes(predicate, [](int a, int b) { return a | b; }); }
    __OPEN_CUDA_METHOD int all(int predicate) const { return votes(predicate, [](int a, int b) { return a & b; }); }
    // Puts one value of each warp into shared memory; use(values, count, number of this warp) reads them.
    template <class T, class F> __OPEN_CUDA_METHOD auto exchange(const T &value, F use) const {
        T *all = slots<T>();
        unsigned warp = rank_in_block() / 32, first = warp & ~(Size / 32 - 1);
        if (lane() == 31) all[warp] = value;
        sync();
        auto result = use(all + first, Size / 32, warp - first);
        sync();
        return result;
    }

  protected:
    __OPEN_CUDA_METHOD warps_tile(unsigned meta_rank, unsigned meta_count, unsigned *counters)
        : thread_group(WARPS, 0, Size, meta_rank, meta_count, counters + rank_in_block() / Size) {}
    template <class F> __OPEN_CUDA_METHOD int votes(int predicate, F combine) const {
        int mine = combine(0, 1) ? __any_sync(0xffffffff, predicate) : __all_sync(0xffffffff, predicate);
        return exchange(mine, [=](const int *values, unsigned count, unsigned) {
            int result = values[0];
            for (unsigned i = 1; i < count; i++) result = combine(result, values[i]);
            return result;
        });
    }
    template <class T> __OPEN_CUDA_STATIC T *slots() {
        __shared__ alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char bytes[32 * sizeof(T)];
        return (T *)bytes;
    }
};

template <unsigned Size, bool Large> struct tile_base { typedef lanes_tile<Size> type; };
template <unsigned Size> struct tile_base<Size, true> { typedef warps_tile<Size> type; };

} // namespace __open

template <unsigned Size, class Parent = void>
class thread_block_tile : public __open::tile_base<Size, (Size > 32)>::type {
    static_assert(Size && Size <= 1024 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two up to 1024");
    typedef typename __open::tile_base<Size, (Size > 32)>::type base;

  public:
    template <class Other>
    __OPEN_CUDA_METHOD thread_block_tile(const thread_block_tile<Size, Other> &other) : base(other) {}
    __OPEN_CUDA_STATIC constexpr unsigned num_threads() { return Size; }
    __OPEN_CUDA_STATIC constexpr unsigned size() { return Size; }
    __OPEN_CUDA_METHOD unsigned meta_group_rank() const { return this->meta_rank; }
    __OPEN_CUDA_METHOD unsigned meta_group_size() const { return this->meta_count; }

  private:
    __OPEN_CUDA_METHOD thread_block_tile(unsigned meta_rank, unsigned meta_count, unsigned *counters = nullptr)
        : base(meta_rank, meta_count, counters) {}
    friend struct __open::maker;
};

namespace __open {
struct maker {
    __OPEN_CUDA_STATIC coalesced_group lanes(unsigned mask, unsigned meta_rank = 0, unsigned meta_count = 1) {
        return coalesced_group(mask, meta_rank, meta_count);
    }
    // Each thread is in the group of the mask that it gives.
    __OPEN_CUDA_STATIC coalesced_group parts(unsigned all, unsigned mask) {
        unsigned firsts = __ballot_sync(all, (mask & lanes_below()) == 0);
        return lanes(mask, __popc(firsts & ((mask & -mask) - 1)), __popc(firsts));
    }
    template <unsigned Size, class Parent>
    __OPEN_CUDA_STATIC thread_block_tile<Size, Parent> tile(unsigned meta_rank, unsigned meta_count,
                                                            unsigned *counters = nullptr) {
        return thread_block_tile<Size, Parent>(meta_rank, meta_count, counters);
    }
    // The counters of barriers are set to zero while no thread of the block uses them.
    template <unsigned Size> __OPEN_CUDA_STATIC unsigned *counters() {
        __shared__ unsigned counters[1024 / Size];
        __syncthreads();
        if (rank_in_block() < 1024 / Size) counters[rank_in_block()] = 0;
        __syncthreads();
        return counters;
    }
};
} // namespace __open

__device__ __inline__ __attribute__((always_inline)) coalesced_group coalesced_threads() {
    return __open::maker::lanes(__activemask());
}
__device__ __inline__ __attribute__((always_inline)) thread_block_tile<1> this_thread() {
    return __open::maker::tile<1, void>(0, 1);
}

template <unsigned Size> __OPEN_CUDA_STATIC thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) {
    unsigned *counters = nullptr, threads = __open::threads_of_block();
    if constexpr (Size > 32) counters = __open::maker::counters<Size>();
    return __open::maker::tile<Size, thread_block>(__open::rank_in_block() / Size, (threads + Size - 1) / Size, counters);
}
template <unsigned Size, unsigned Of, class Parent>
__OPEN_CUDA_STATIC thread_block_tile<Size, thread_block_tile<Of, Parent>>
tiled_partition(const thread_block_tile<Of, Parent> &parent) {
    static_assert(Size <= Of, "a tile is at most as large as its parent");
    static_assert(Size <= 32, "tiles of several warps are made from a thread block");
    return __open::maker::tile<Size, thread_block_tile<Of, Parent>>(parent.thread_rank() / Size, Of / Size);
}

// Tiles of a size that is known at run time: up to 32, of lanes by their ranks.
__OPEN_CUDA_STATIC coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
    unsigned mask = __open::access::mask(parent), rank = parent.thread_rank(), count = parent.num_threads(), mine = 0;
    for (unsigned i = 0, left = mask; left; left &= left - 1, i++)
        if (i / size == rank / size) mine |= left & -left;
    return __open::maker::lanes(mine, rank / size, (count + size - 1) / size);
}
__OPEN_CUDA_STATIC thread_group tiled_partition(const thread_group &parent, unsigned size) {
    if (__open::access::is_lanes(parent)) return tiled_partition(__open::maker::lanes(__open::access::mask(parent)), size);
    unsigned first = __open::lane() & ~(size - 1);
    return __open::maker::lanes((0xffffffffu >> (32 - size)) << first, (unsigned)parent.thread_rank() / size,
                                ((unsigned)parent.num_threads() + size - 1) / size);
}
template <class Label> __OPEN_CUDA_STATIC coalesced_group labeled_partition(const coalesced_group &parent, Label label) {
    unsigned mask = __open::access::mask(parent);
    return __open::maker::parts(mask, sizeof(label) > 4 ? __match_any_sync(mask, (unsigned long long)label)
                                                        : __match_any_sync(mask, (unsigned)label));
}
__OPEN_CUDA_STATIC coalesced_group binary_partition(const coalesced_group &parent, bool predicate) {
    unsigned mask = __open::access::mask(parent), set = __ballot_sync(mask, predicate);
    return __open::maker::lanes(predicate ? set : mask & ~set, predicate, 2);
}
template <unsigned Size, class Parent, class Label>
__OPEN_CUDA_STATIC coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &parent, Label label) {
    static_assert(Size <= 32, "only groups within a warp can be partitioned by labels");
    return labeled_partition(__open::maker::lanes(__open::access::mask(parent)), label);
}
template <unsigned Size, class Parent>
__OPEN_CUDA_STATIC coalesced_group binary_partition(const thread_block_tile<Size, Parent> &parent, bool predicate) {
    static_assert(Size <= 32, "only groups within a warp can be partitioned by labels");
    return binary_partition(__open::maker::lanes(__open::access::mask(parent)), predicate);
}
} // namespace __v1
} // namespace cooperative_groups
