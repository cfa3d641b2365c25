# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The device headers in the order of cuda_runtime.h; made by `python -m ci.header_names`."""

# Header -> its size when it is preprocessed, in units of 10,000 characters, what it includes, and what it declares.
DECLARED = {
    "open_cuda/common.h": (
        0,
        "vector_functions.h open_cuda/variables.h open_cuda/runtime.h open_cuda/integers.h open_cuda/conversions.h "
        "open_cuda/rounding.h open_cuda/warp.h open_cuda/atomics.h open_cuda/exact_overloads.h "
        "open_cuda/float_error_functions.h open_cuda/float_trigonometric.h open_cuda/standard.h",
        "",
    ),
    "vector_functions.h": (
        1,
        "vector_types.h",
        "make_char1 make_char2 make_char3 make_char4 make_double1 make_double2 make_double3 make_double4 "
        "make_double4_16a make_double4_32a make_float1 make_float2 make_float3 make_float4 make_int1 make_int2 "
        "make_int3 make_int4 make_long1 make_long2 make_long3 make_long4 make_long4_16a make_long4_32a make_longlong1 "
        "make_longlong2 make_longlong3 make_longlong4 make_longlong4_16a make_longlong4_32a make_short1 make_short2 "
        "make_short3 make_short4 make_uchar1 make_uchar2 make_uchar3 make_uchar4 make_uint1 make_uint2 make_uint3 "
        "make_uint4 make_ulong1 make_ulong2 make_ulong3 make_ulong4 make_ulong4_16a make_ulong4_32a make_ulonglong1 "
        "make_ulonglong2 make_ulonglong3 make_ulonglong4 make_ulonglong4_16a make_ulonglong4_32a make_ushort1 "
        "make_ushort2 make_ushort3 make_ushort4",
    ),
    "vector_types.h": (
        0,
        "open_cuda/qualifiers.h",
        "char1 char2 char3 char4 dim3 double1 double2 double3 double4 double4_16a double4_32a float1 float2 float3 "
        "float4 int1 int2 int3 int4 long1 long2 long3 long4 long4_16a long4_32a longlong1 longlong2 longlong3 "
        "longlong4 longlong4_16a longlong4_32a short1 short2 short3 short4 uchar1 uchar2 uchar3 uchar4 uint1 uint2 "
        "uint3 uint4 ulong1 ulong2 ulong3 ulong4 ulong4_16a ulong4_32a ulonglong1 ulonglong2 ulonglong3 ulonglong4 "
        "ulonglong4_16a ulonglong4_32a ushort1 ushort2 ushort3 ushort4",
    ),
    "open_cuda/qualifiers.h": (
        0,
        "open_cuda/attributes.h",
        "CUDARTAPI CUDART_CB __CUDACC_RTC__ __CUDACC__ __USE_FAST_MATH__ __align__ __builtin_align__ __constant__ "
        "__device__ __forceinline__ __global__ __grid_constant__ __host__ __inline_hint__ __launch_bounds__ "
        "__nv_pure__ __shared__ __thread__ ptrdiff_t size_t",
    ),
    "open_cuda/attributes.h": (
        0,
        "",
        "__block_size__ __cluster_dims__ __managed__ __maxnreg__ mark",
    ),
    "open_cuda/variables.h": (
        0,
        "",
        "blockDim blockIdx gridDim threadIdx warpSize",
    ),
    "open_cuda/runtime.h": (
        0,
        "open_cuda/qualifiers.h",
        "__assertfail __cxa_deleted_virtual __cxa_pure_virtual assert free malloc memcmp memcpy memmove memset printf "
        "vprintf",
    ),
    "open_cuda/integers.h": (
        2,
        "vector_types.h",
        "__brev __brevll __byte_perm __clz __clzll __dp2a_hi __dp2a_lo __dp4a __ffs __ffsll __fns __funnelshift_l "
        "__funnelshift_lc __funnelshift_r __funnelshift_rc __hadd __mul24 __mul64hi __mulhi __popc __popcll __rhadd "
        "__sad __uhadd __umul24 __umul64hi __umulhi __urhadd __usad abs labs llabs llmax llmin max min ullmax ullmin "
        "umax umin",
    ),
    "open_cuda/conversions.h": (
        2,
        "open_cuda/qualifiers.h",
        "__double2float_rd __double2float_rn __double2float_ru __double2float_rz __double2hiint __double2int_rd "
        "__double2int_rn __double2int_ru __double2int_rz __double2ll_rd __double2ll_rn __double2ll_ru __double2ll_rz "
        "__double2loint __double2uint_rd __double2uint_rn __double2uint_ru __double2uint_rz __double2ull_rd "
        "__double2ull_rn __double2ull_ru __double2ull_rz __double_as_longlong __float2int_rd __float2int_rn "
        "__float2int_ru __float2int_rz __float2ll_rd __float2ll_rn __float2ll_ru __float2ll_rz __float2uint_rd "
        "__float2uint_rn __float2uint_ru __float2uint_rz __float2ull_rd __float2ull_rn __float2ull_ru __float2ull_rz "
        "__float_as_int __float_as_uint __hiloint2double __int2double_rn __int2float_rd __int2float_rn __int2float_ru "
        "__int2float_rz __int_as_float __ll2double_rd __ll2double_rn __ll2double_ru __ll2double_rz __ll2float_rd "
        "__ll2float_rn __ll2float_ru __ll2float_rz __longlong_as_double __uint2double_rn __uint2float_rd "
        "__uint2float_rn __uint2float_ru __uint2float_rz __uint_as_float __ull2double_rd __ull2double_rn "
        "__ull2double_ru __ull2double_rz __ull2float_rd __ull2float_rn __ull2float_ru __ull2float_rz",
    ),
    "open_cuda/rounding.h": (
        2,
        "open_cuda/qualifiers.h",
        "__cosf __dadd_rd __dadd_rn __dadd_ru __dadd_rz __ddiv_rd __ddiv_rn __ddiv_ru __ddiv_rz __dmul_rd __dmul_rn "
        "__dmul_ru __dmul_rz __drcp_rd __drcp_rn __drcp_ru __drcp_rz __dsqrt_rd __dsqrt_rn __dsqrt_ru __dsqrt_rz "
        "__dsub_rd __dsub_rn __dsub_ru __dsub_rz __exp10f __expf __fadd_rd __fadd_rn __fadd_ru __fadd_rz __fdiv_rd "
        "__fdiv_rn __fdiv_ru __fdiv_rz __fdividef __fma_rd __fma_rn __fma_ru __fma_rz __fmaf_ieee_rd __fmaf_ieee_rn "
        "__fmaf_ieee_ru __fmaf_ieee_rz __fmaf_rd __fmaf_rn __fmaf_ru __fmaf_rz __fmul_rd __fmul_rn __fmul_ru "
        "__fmul_rz __frcp_rd __frcp_rn __frcp_ru __frcp_rz __frsqrt_rn __fsqrt_rd __fsqrt_rn __fsqrt_ru __fsqrt_rz "
        "__fsub_rd __fsub_rn __fsub_ru __fsub_rz __log10f __log2f __logf __powf __saturatef __sincosf __sinf __tanf "
        "__tanhf",
    ),
    "open_cuda/warp.h": (
        2,
        "open_cuda/qualifiers.h",
        "__activemask __all_sync __any_sync __ballot_sync __barrier_sync __barrier_sync_count __match_all_sync "
        "__match_any_sync __reduce_add_sync __reduce_and_sync __reduce_max_sync __reduce_min_sync __reduce_or_sync "
        "__reduce_xor_sync __shfl_down_sync __shfl_sync __shfl_up_sync __shfl_xor_sync __syncthreads_and "
        "__syncthreads_count __syncthreads_or __syncwarp __threadfence __threadfence_block __threadfence_cluster "
        "__threadfence_system __uni_sync",
    ),
    "open_cuda/atomics.h": (
        3,
        "vector_types.h",
        "atomicAdd atomicAdd_block atomicAdd_system atomicAnd atomicAnd_block atomicAnd_system atomicCAS "
        "atomicCAS_block atomicCAS_system atomicDec atomicDec_block atomicDec_system atomicExch atomicExch_block "
        "atomicExch_system atomicInc atomicInc_block atomicInc_system atomicMax atomicMax_block atomicMax_system "
        "atomicMin atomicMin_block atomicMin_system atomicOr atomicOr_block atomicOr_system atomicSub atomicSub_block "
        "atomicSub_system atomicXor atomicXor_block atomicXor_system",
    ),
    "open_cuda/exact_overloads.h": (
        1,
        "open_cuda/exact.h",
        "abs ceil copysign fabs fdim fdividef floor fma fmax fmin fmod frexp ilogb ldexp llrint llround logb lrint "
        "lround max min modf nearbyint nextafter remainder rint round scalbn sqrt trunc",
    ),
    "open_cuda/exact.h": (
        2,
        "open_cuda/conversions.h open_cuda/rounding.h",
        "HUGE_VAL HUGE_VALF INFINITY NAN __finite __finitef __isinf __isinff __isnan __isnanf __signbit __signbitf "
        "ceil ceilf copysign copysignf fabs fabsf fdim fdimf floor floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf "
        "frexp frexpf ilogb ilogbf isfinite isinf isnan isnormal ldexp ldexpf llrint llrintf llround llroundf logb "
        "logbf lrint lrintf lround lroundf modf modff nan nanf nearbyint nearbyintf nextafter nextafterf remainder "
        "remainderf remquo remquof rint rintf round roundf scalbln scalblnf scalbn scalbnf signbit sqrt sqrtf trunc "
        "truncf",
    ),
    "open_cuda/float_error_functions.h": (
        0,
        "open_cuda/float_exponential.h",
        "erfcf erfcinvf erfcxf erff erfinvf normcdff normcdfinvf",
    ),
    "open_cuda/float_exponential.h": (
        1,
        "open_cuda/float_polynomials.h",
        "acoshf asinhf atanhf coshf exp10f exp2f expf expm1f log10f log1pf log2f logf powf sinhf tanhf",
    ),
    "open_cuda/float_polynomials.h": (
        2,
        "open_cuda/exact.h",
        "",
    ),
    "open_cuda/float_trigonometric.h": (
        1,
        "open_cuda/float_exponential.h open_cuda/integers.h open_cuda/two_over_pi.h",
        "acosf asinf atan2f atanf cbrtf cosf cospif rcbrtf sincosf sincospif sinf sinpif tanf",
    ),
    "open_cuda/two_over_pi.h": (
        0,
        "open_cuda/qualifiers.h",
        "",
    ),
    "open_cuda/standard.h": (
        0,
        "open_cuda/qualifiers.h",
        "std",
    ),
    "open_cuda/memory.h": (
        10,
        "vector_types.h",
        "__brkpt __cvta_constant_to_generic __cvta_generic_to_constant __cvta_generic_to_global "
        "__cvta_generic_to_grid_constant __cvta_generic_to_local __cvta_generic_to_shared __cvta_global_to_generic "
        "__cvta_grid_constant_to_generic __cvta_local_to_generic __cvta_shared_to_generic __globaltimer "
        "__isClusterShared __isConstant __isGlobal __isGridConstant __isLocal __isShared __ldca __ldcg __ldcs __ldcv "
        "__ldg __ldlu __nanosleep __prof_trigger __stcg __stcs __stwb __stwt __trap alloca clock clock64 clock_t",
    ),
    "open_cuda/clusters.h": (
        0,
        "open_cuda/memory.h",
        "__clusterDim __clusterDimIsSpecified __clusterGridDimInClusters __clusterIdx __clusterRelativeBlockIdx "
        "__clusterRelativeBlockRank __clusterSizeInBlocks __cluster_barrier_arrive __cluster_barrier_arrive_relaxed "
        "__cluster_barrier_wait __cluster_map_shared_rank __cluster_query_shared_rank",
    ),
    "open_cuda/surfaces.h": (
        8,
        "open_cuda/textures.h",
        "cudaBoundaryModeClamp cudaBoundaryModeTrap cudaBoundaryModeZero cudaSurfaceBoundaryMode cudaSurfaceObject_t "
        "surf1DLayeredread surf1DLayeredwrite surf1Dread surf1Dwrite surf2DLayeredread surf2DLayeredwrite surf2Dread "
        "surf2Dwrite surf3Dread surf3Dwrite surfCubemapLayeredread surfCubemapLayeredwrite surfCubemapread "
        "surfCubemapwrite",
    ),
    "open_cuda/textures.h": (
        5,
        "vector_types.h",
        "cudaTextureObject_t tex1D tex1DGrad tex1DLayered tex1DLayeredGrad tex1DLayeredLod tex1DLod tex1Dfetch tex2D "
        "tex2DGrad tex2DLayered tex2DLayeredGrad tex2DLayeredLod tex2DLod tex2Dgather tex3D tex3DGrad tex3DLod "
        "texCubemap texCubemapGrad texCubemapLayered texCubemapLayeredGrad texCubemapLayeredLod texCubemapLod",
    ),
    "open_cuda/device_runtime.h": (
        1,
        "vector_functions.h open_cuda/runtime.h open_cuda/runtime_enums.h",
        "CUevent_st CUgraphExec_st CUstream_st __cudart_builtin__ cudaArray cudaArray_t cudaDeviceGetAttribute "
        "cudaDeviceGetCacheConfig cudaDeviceGetLimit cudaDeviceGetSharedMemConfig cudaEventBlockingSync "
        "cudaEventCreateWithFlags cudaEventDefault cudaEventDestroy cudaEventDisableTiming cudaEventInterprocess "
        "cudaEventRecord cudaEventRecordWithFlags cudaEvent_t cudaExtent cudaFree cudaFuncAttributes "
        "cudaFuncGetAttributes cudaGetDevice cudaGetDeviceCount cudaGetErrorName cudaGetErrorString cudaGetLastError "
        "cudaGetParameterBuffer cudaGetParameterBufferV2 cudaGraphConditionalHandle cudaGraphExec_t cudaGraphLaunch "
        "cudaGraphSetConditional cudaGridDependencySynchronize cudaLaunchDevice cudaLaunchDeviceV2 cudaMalloc "
        "cudaMemcpy2DAsync cudaMemcpy3DAsync cudaMemcpy3DParms cudaMemcpyAsync cudaMemset2DAsync cudaMemset3DAsync "
        "cudaMemsetAsync cudaOccupancyDefault cudaOccupancyDisableCachingOverride "
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags "
        "cudaPeekAtLastError cudaPitchedPtr cudaPos cudaRuntimeGetVersion cudaStreamCreateWithFlags cudaStreamDefault "
        "cudaStreamDestroy cudaStreamFireAndForget cudaStreamLegacy cudaStreamNonBlocking cudaStreamPerThread "
        "cudaStreamTailLaunch cudaStreamWaitEvent cudaStream_t cudaTriggerProgrammaticLaunchCompletion "
        "make_cudaExtent make_cudaPitchedPtr make_cudaPos",
    ),
    "open_cuda/runtime_enums.h": (
        1,
        "",
        "cudaDevAttrAsyncEngineCount cudaDevAttrAtomicReductionSupported cudaDevAttrCanFlushRemoteWrites "
        "cudaDevAttrCanMapHostMemory cudaDevAttrCanUseHostPointerForRegisteredMem cudaDevAttrCigStreamsSupported "
        "cudaDevAttrClockRate cudaDevAttrClusterLaunch cudaDevAttrComputeCapabilityMajor "
        "cudaDevAttrComputeCapabilityMinor cudaDevAttrComputeMode cudaDevAttrComputePreemptionSupported "
        "cudaDevAttrConcurrentKernels cudaDevAttrConcurrentManagedAccess cudaDevAttrCooperativeLaunch "
        "cudaDevAttrD3D12CigSupported cudaDevAttrDeferredMappingCudaArraySupported "
        "cudaDevAttrDirectManagedMemAccessFromHost cudaDevAttrEccEnabled cudaDevAttrGPUDirectRDMAFlushWritesOptions "
        "cudaDevAttrGPUDirectRDMASupported cudaDevAttrGPUDirectRDMAWritesOrdering cudaDevAttrGlobalL1CacheSupported "
        "cudaDevAttrGlobalMemoryBusWidth cudaDevAttrGpuOverlap cudaDevAttrGpuPciDeviceId cudaDevAttrGpuPciSubsystemId "
        "cudaDevAttrHostMemoryPoolsSupported cudaDevAttrHostNativeAtomicSupported cudaDevAttrHostNumaId "
        "cudaDevAttrHostNumaMemoryPoolsSupported cudaDevAttrHostNumaMultinodeIpcSupported "
        "cudaDevAttrHostRegisterReadOnlySupported cudaDevAttrHostRegisterSupported cudaDevAttrIntegrated "
        "cudaDevAttrIpcEventSupport cudaDevAttrIsMultiGpuBoard cudaDevAttrKernelExecTimeout cudaDevAttrL2CacheSize "
        "cudaDevAttrLocalL1CacheSupported cudaDevAttrLocalityDomainCount cudaDevAttrLocalityDomainMultiprocessorCount "
        "cudaDevAttrManagedMemory cudaDevAttrMax cudaDevAttrMaxAccessPolicyWindowSize cudaDevAttrMaxBlockDimX "
        "cudaDevAttrMaxBlockDimY cudaDevAttrMaxBlockDimZ cudaDevAttrMaxBlocksPerMultiprocessor cudaDevAttrMaxGridDimX "
        "cudaDevAttrMaxGridDimY cudaDevAttrMaxGridDimZ cudaDevAttrMaxPersistingL2CacheSize cudaDevAttrMaxPitch "
        "cudaDevAttrMaxRegistersPerBlock cudaDevAttrMaxRegistersPerMultiprocessor cudaDevAttrMaxSharedMemoryPerBlock "
        "cudaDevAttrMaxSharedMemoryPerBlockOptin cudaDevAttrMaxSharedMemoryPerMultiprocessor "
        "cudaDevAttrMaxSurface1DLayeredLayers cudaDevAttrMaxSurface1DLayeredWidth cudaDevAttrMaxSurface1DWidth "
        "cudaDevAttrMaxSurface2DHeight cudaDevAttrMaxSurface2DLayeredHeight cudaDevAttrMaxSurface2DLayeredLayers "
        "cudaDevAttrMaxSurface2DLayeredWidth cudaDevAttrMaxSurface2DWidth cudaDevAttrMaxSurface3DDepth "
        "cudaDevAttrMaxSurface3DHeight cudaDevAttrMaxSurface3DWidth cudaDevAttrMaxSurfaceCubemapLayeredLayers "
        "cudaDevAttrMaxSurfaceCubemapLayeredWidth cudaDevAttrMaxSurfaceCubemapWidth "
        "cudaDevAttrMaxTexture1DLayeredLayers cudaDevAttrMaxTexture1DLayeredWidth cudaDevAttrMaxTexture1DLinearWidth "
        "cudaDevAttrMaxTexture1DMipmappedWidth cudaDevAttrMaxTexture1DWidth cudaDevAttrMaxTexture2DGatherHeight "
        "cudaDevAttrMaxTexture2DGatherWidth cudaDevAttrMaxTexture2DHeight cudaDevAttrMaxTexture2DLayeredHeight "
        "cudaDevAttrMaxTexture2DLayeredLayers cudaDevAttrMaxTexture2DLayeredWidth cudaDevAttrMaxTexture2DLinearHeight "
        "cudaDevAttrMaxTexture2DLinearPitch cudaDevAttrMaxTexture2DLinearWidth cudaDevAttrMaxTexture2DMipmappedHeight "
        "cudaDevAttrMaxTexture2DMipmappedWidth cudaDevAttrMaxTexture2DWidth cudaDevAttrMaxTexture3DDepth "
        "cudaDevAttrMaxTexture3DDepthAlt cudaDevAttrMaxTexture3DHeight cudaDevAttrMaxTexture3DHeightAlt "
        "cudaDevAttrMaxTexture3DWidth cudaDevAttrMaxTexture3DWidthAlt cudaDevAttrMaxTextureCubemapLayeredLayers "
        "cudaDevAttrMaxTextureCubemapLayeredWidth cudaDevAttrMaxTextureCubemapWidth cudaDevAttrMaxThreadsPerBlock "
        "cudaDevAttrMaxThreadsPerMultiProcessor cudaDevAttrMemSyncDomainCount cudaDevAttrMemoryClockRate "
        "cudaDevAttrMemoryPoolSupportedHandleTypes cudaDevAttrMemoryPoolsSupported cudaDevAttrMpsEnabled "
        "cudaDevAttrMultiGpuBoardGroupID cudaDevAttrMultiProcessorCount cudaDevAttrNumaConfig cudaDevAttrNumaId "
        "cudaDevAttrOnlyPartialHostNativeAtomicSupported cudaDevAttrOversizedSharedMemoryPerBlock "
        "cudaDevAttrPageableMemoryAccess cudaDevAttrPageableMemoryAccessUsesHostPageTables cudaDevAttrPciBusId "
        "cudaDevAttrPciDeviceId cudaDevAttrPciDomainId cudaDevAttrReserved122 cudaDevAttrReserved123 "
        "cudaDevAttrReserved124 cudaDevAttrReserved127 cudaDevAttrReserved128 cudaDevAttrReserved129 "
        "cudaDevAttrReserved132 cudaDevAttrReserved141 cudaDevAttrReserved145 cudaDevAttrReserved92 "
        "cudaDevAttrReserved93 cudaDevAttrReserved94 cudaDevAttrReserved96 cudaDevAttrReservedSharedMemoryPerBlock "
        "cudaDevAttrSingleToDoublePrecisionPerfRatio cudaDevAttrSparseCudaArraySupported "
        "cudaDevAttrStreamPrioritiesSupported cudaDevAttrSurfaceAlignment cudaDevAttrTccDriver "
        "cudaDevAttrTensorMapLargeTensorMinSize cudaDevAttrTextureAlignment cudaDevAttrTexturePitchAlignment "
        "cudaDevAttrTimelineSemaphoreInteropSupported cudaDevAttrTotalConstantMemory cudaDevAttrUnifiedAddressing "
        "cudaDevAttrVulkanCigSupported cudaDevAttrWarpSize cudaDeviceAttr cudaError cudaErrorAddressOfConstant "
        "cudaErrorAlreadyAcquired cudaErrorAlreadyMapped cudaErrorApiFailureBase cudaErrorArrayIsMapped "
        "cudaErrorAssert cudaErrorCallRequiresNewerDriver cudaErrorCapturedEvent cudaErrorCdpNotSupported "
        "cudaErrorCdpVersionMismatch cudaErrorCompatNotSupportedOnDevice cudaErrorContained "
        "cudaErrorContextIsDestroyed cudaErrorCooperativeLaunchTooLarge cudaErrorCudartUnloading "
        "cudaErrorDeviceAlreadyInUse cudaErrorDeviceNotLicensed cudaErrorDeviceUninitialized "
        "cudaErrorDevicesUnavailable cudaErrorDuplicateSurfaceName cudaErrorDuplicateTextureName "
        "cudaErrorDuplicateVariableName cudaErrorECCUncorrectable cudaErrorExternalDevice cudaErrorFabricNotReady "
        "cudaErrorFileNotFound cudaErrorFunctionNotLoaded cudaErrorGraphExecUpdateFailure "
        "cudaErrorGraphRecaptureFailure cudaErrorHardwareStackError cudaErrorHostMemoryAlreadyRegistered "
        "cudaErrorHostMemoryNotRegistered cudaErrorIllegalAddress cudaErrorIllegalInstruction cudaErrorIllegalState "
        "cudaErrorIncompatibleDriverContext cudaErrorInitializationError cudaErrorInsufficientDriver "
        "cudaErrorInsufficientLoaderVersion cudaErrorInvalidAddressSpace cudaErrorInvalidChannelDescriptor "
        "cudaErrorInvalidClusterSize cudaErrorInvalidConfiguration cudaErrorInvalidDevice "
        "cudaErrorInvalidDeviceFunction cudaErrorInvalidDevicePointer cudaErrorInvalidFilterSetting "
        "cudaErrorInvalidGraphicsContext cudaErrorInvalidHostPointer cudaErrorInvalidKernelImage "
        "cudaErrorInvalidMemcpyDirection cudaErrorInvalidNormSetting cudaErrorInvalidPc cudaErrorInvalidPitchValue "
        "cudaErrorInvalidPtx cudaErrorInvalidResourceConfiguration cudaErrorInvalidResourceHandle "
        "cudaErrorInvalidResourceType cudaErrorInvalidSource cudaErrorInvalidSurface cudaErrorInvalidSymbol "
        "cudaErrorInvalidTexture cudaErrorInvalidTextureBinding cudaErrorInvalidValue cudaErrorJitCompilationDisabled "
        "cudaErrorJitCompilerNotFound cudaErrorLaunchFailure cudaErrorLaunchFileScopedSurf "
        "cudaErrorLaunchFileScopedTex cudaErrorLaunchIncompatibleTexturing cudaErrorLaunchMaxDepthExceeded "
        "cudaErrorLaunchOutOfResources cudaErrorLaunchPendingCountExceeded cudaErrorLaunchTimeout cudaErrorLossyQuery "
        "cudaErrorMapBufferObjectFailed cudaErrorMemoryAllocation cudaErrorMemoryValueTooLarge "
        "cudaErrorMisalignedAddress cudaErrorMissingConfiguration cudaErrorMixedDeviceExecution "
        "cudaErrorMpsClientTerminated cudaErrorMpsConnectionFailed cudaErrorMpsMaxClientsReached "
        "cudaErrorMpsMaxConnectionsReached cudaErrorMpsRpcFailure cudaErrorMpsServerNotReady cudaErrorNoDevice "
        "cudaErrorNoKernelImageForDevice cudaErrorNotMapped cudaErrorNotMappedAsArray cudaErrorNotMappedAsPointer "
        "cudaErrorNotPermitted cudaErrorNotReady cudaErrorNotSupported cudaErrorNotYetImplemented "
        "cudaErrorNvlinkUncorrectable cudaErrorOperatingSystem cudaErrorPeerAccessAlreadyEnabled "
        "cudaErrorPeerAccessNotEnabled cudaErrorPeerAccessUnsupported cudaErrorPriorLaunchFailure "
        "cudaErrorProfilerAlreadyStarted cudaErrorProfilerAlreadyStopped cudaErrorProfilerDisabled "
        "cudaErrorProfilerNotInitialized cudaErrorSetOnActiveProcess cudaErrorSharedObjectInitFailed "
        "cudaErrorSharedObjectSymbolNotFound cudaErrorSoftwareValidityNotEstablished cudaErrorStartupFailure "
        "cudaErrorStreamCaptureImplicit cudaErrorStreamCaptureInvalidated cudaErrorStreamCaptureIsolation "
        "cudaErrorStreamCaptureMerge cudaErrorStreamCaptureUnjoined cudaErrorStreamCaptureUnmatched "
        "cudaErrorStreamCaptureUnsupported cudaErrorStreamCaptureWrongThread cudaErrorStreamDetached "
        "cudaErrorStubLibrary cudaErrorSymbolNotFound cudaErrorSyncDepthExceeded cudaErrorSynchronizationError "
        "cudaErrorSystemDriverMismatch cudaErrorSystemNotReady cudaErrorTensorMemoryLeak cudaErrorTextureFetchFailed "
        "cudaErrorTextureNotBound cudaErrorTimeout cudaErrorTooManyPeers cudaErrorUnknown "
        "cudaErrorUnmapBufferObjectFailed cudaErrorUnsupportedDevSideSync cudaErrorUnsupportedExecAffinity "
        "cudaErrorUnsupportedLimit cudaErrorUnsupportedPtxVersion cudaErrorVersionTranslation cudaError_t "
        "cudaFuncCache cudaFuncCachePreferEqual cudaFuncCachePreferL1 cudaFuncCachePreferNone "
        "cudaFuncCachePreferShared cudaLimit cudaLimitDevRuntimePendingLaunchCount cudaLimitDevRuntimeSyncDepth "
        "cudaLimitMallocHeapSize cudaLimitMaxL2FetchGranularity cudaLimitPerBlockMemorySize "
        "cudaLimitPersistingL2CacheSize cudaLimitPrintfFifoSize cudaLimitStackSize cudaMemcpyDefault "
        "cudaMemcpyDeviceToDevice cudaMemcpyDeviceToHost cudaMemcpyHostToDevice cudaMemcpyHostToHost cudaMemcpyKind "
        "cudaRoundMinInf cudaRoundMode cudaRoundNearest cudaRoundPosInf cudaRoundZero cudaSharedMemBankSizeDefault "
        "cudaSharedMemBankSizeEightByte cudaSharedMemBankSizeFourByte cudaSharedMemConfig cudaSuccess",
    ),
    "open_cuda/simd.h": (
        3,
        "open_cuda/integers.h",
        "__vabs2 __vabs4 __vabsdiffs2 __vabsdiffs4 __vabsdiffu2 __vabsdiffu4 __vabsss2 __vabsss4 __vadd2 __vadd4 "
        "__vaddss2 __vaddss4 __vaddus2 __vaddus4 __vavgs2 __vavgs4 __vavgu2 __vavgu4 __vcmpeq2 __vcmpeq4 __vcmpges2 "
        "__vcmpges4 __vcmpgeu2 __vcmpgeu4 __vcmpgts2 __vcmpgts4 __vcmpgtu2 __vcmpgtu4 __vcmples2 __vcmples4 "
        "__vcmpleu2 __vcmpleu4 __vcmplts2 __vcmplts4 __vcmpltu2 __vcmpltu4 __vcmpne2 __vcmpne4 __vhaddu2 __vhaddu4 "
        "__viaddmax_s16x2 __viaddmax_s16x2_relu __viaddmax_s32 __viaddmax_s32_relu __viaddmax_u16x2 __viaddmax_u32 "
        "__viaddmin_s16x2 __viaddmin_s16x2_relu __viaddmin_s32 __viaddmin_s32_relu __viaddmin_u16x2 __viaddmin_u32 "
        "__vibmax_s16x2 __vibmax_s32 __vibmax_u16x2 __vibmax_u32 __vibmin_s16x2 __vibmin_s32 __vibmin_u16x2 "
        "__vibmin_u32 __vimax3_s16x2 __vimax3_s16x2_relu __vimax3_s32 __vimax3_s32_relu __vimax3_u16x2 __vimax3_u32 "
        "__vimax_s16x2_relu __vimax_s32_relu __vimin3_s16x2 __vimin3_s16x2_relu __vimin3_s32 __vimin3_s32_relu "
        "__vimin3_u16x2 __vimin3_u32 __vimin_s16x2_relu __vimin_s32_relu __vmaxs2 __vmaxs4 __vmaxu2 __vmaxu4 __vmins2 "
        "__vmins4 __vminu2 __vminu4 __vneg2 __vneg4 __vnegss2 __vnegss4 __vsads2 __vsads4 __vsadu2 __vsadu4 __vseteq2 "
        "__vseteq4 __vsetges2 __vsetges4 __vsetgeu2 __vsetgeu4 __vsetgts2 __vsetgts4 __vsetgtu2 __vsetgtu4 __vsetles2 "
        "__vsetles4 __vsetleu2 __vsetleu4 __vsetlts2 __vsetlts4 __vsetltu2 __vsetltu4 __vsetne2 __vsetne4 __vsub2 "
        "__vsub4 __vsubss2 __vsubss4 __vsubus2 __vsubus4",
    ),
    "open_cuda/math.h": (
        1,
        "open_cuda/float_special.h open_cuda/exact_overloads.h",
        "__cos2pif __sin2pif __sincos2pif acos acosh asin asinh atan atan2 atanh cbrt cos cosh cospi erf erfc erfcinv "
        "erfcx erfinv exp exp10 exp2 expm1 hypot lgamma log log10 log1p log2 normcdf normcdfinv pow rcbrt rsqrt sin "
        "sincos sincospi sinh sinpi tan tanh tgamma",
    ),
    "open_cuda/float_special.h": (
        1,
        "open_cuda/float_error_functions.h open_cuda/float_trigonometric.h open_cuda/special.h",
        "cyl_bessel_i0f cyl_bessel_i1f j0f j1f jnf lgammaf tgammaf y0f y1f ynf",
    ),
    "open_cuda/special.h": (
        1,
        "open_cuda/roots.h open_cuda/trigonometric.h",
        "cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv j0 j1 jn lgamma normcdf normcdfinv tgamma y0 y1 yn",
    ),
    "open_cuda/roots.h": (
        1,
        "open_cuda/double_double.h open_cuda/float_trigonometric.h",
        "cbrt hypot hypotf norm norm3d norm3df norm4d norm4df normf rcbrt rhypot rhypotf rnorm rnorm3d rnorm3df "
        "rnorm4d rnorm4df rnormf rsqrt rsqrtf",
    ),
    "open_cuda/double_double.h": (
        0,
        "open_cuda/exact.h",
        "",
    ),
    "open_cuda/trigonometric.h": (
        1,
        "open_cuda/exponential.h open_cuda/integers.h open_cuda/two_over_pi.h",
        "acos acosh asin asinh atan atan2 atanh cos cosh cospi sin sincos sincospi sinh sinpi tan tanh",
    ),
    "open_cuda/exponential.h": (
        1,
        "open_cuda/double_double.h open_cuda/polynomials.h",
        "exp exp10 exp2 expm1 log log10 log1p log2 pow",
    ),
    "open_cuda/polynomials.h": (
        2,
        "open_cuda/exact.h",
        "",
    ),
}
