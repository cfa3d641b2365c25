# Written by `python -m codegen write` from the CUDA headers; do not edit.
"""The ABI of libcudart: structs as ctypes classes, made on first use, enum members and constants as ints."""

import ctypes

cudaRoundNearest = 0
cudaRoundZero = 1
cudaRoundPosInf = 2
cudaRoundMinInf = 3
cudaSuccess = 0
cudaErrorInvalidValue = 1
cudaErrorMemoryAllocation = 2
cudaErrorInitializationError = 3
cudaErrorCudartUnloading = 4
cudaErrorProfilerDisabled = 5
cudaErrorProfilerNotInitialized = 6
cudaErrorProfilerAlreadyStarted = 7
cudaErrorProfilerAlreadyStopped = 8
cudaErrorInvalidConfiguration = 9
cudaErrorVersionTranslation = 10
cudaErrorInvalidPitchValue = 12
cudaErrorInvalidSymbol = 13
cudaErrorInvalidHostPointer = 16
cudaErrorInvalidDevicePointer = 17
cudaErrorInvalidTexture = 18
cudaErrorInvalidTextureBinding = 19
cudaErrorInvalidChannelDescriptor = 20
cudaErrorInvalidMemcpyDirection = 21
cudaErrorAddressOfConstant = 22
cudaErrorTextureFetchFailed = 23
cudaErrorTextureNotBound = 24
cudaErrorSynchronizationError = 25
cudaErrorInvalidFilterSetting = 26
cudaErrorInvalidNormSetting = 27
cudaErrorMixedDeviceExecution = 28
cudaErrorNotYetImplemented = 31
cudaErrorMemoryValueTooLarge = 32
cudaErrorStubLibrary = 34
cudaErrorInsufficientDriver = 35
cudaErrorCallRequiresNewerDriver = 36
cudaErrorInvalidSurface = 37
cudaErrorDuplicateVariableName = 43
cudaErrorDuplicateTextureName = 44
cudaErrorDuplicateSurfaceName = 45
cudaErrorDevicesUnavailable = 46
cudaErrorIncompatibleDriverContext = 49
cudaErrorMissingConfiguration = 52
cudaErrorPriorLaunchFailure = 53
cudaErrorLaunchMaxDepthExceeded = 65
cudaErrorLaunchFileScopedTex = 66
cudaErrorLaunchFileScopedSurf = 67
cudaErrorSyncDepthExceeded = 68
cudaErrorLaunchPendingCountExceeded = 69
cudaErrorInvalidDeviceFunction = 98
cudaErrorNoDevice = 100
cudaErrorInvalidDevice = 101
cudaErrorDeviceNotLicensed = 102
cudaErrorSoftwareValidityNotEstablished = 103
cudaErrorStartupFailure = 127
cudaErrorInvalidKernelImage = 200
cudaErrorDeviceUninitialized = 201
cudaErrorMapBufferObjectFailed = 205
cudaErrorUnmapBufferObjectFailed = 206
cudaErrorArrayIsMapped = 207
cudaErrorAlreadyMapped = 208
cudaErrorNoKernelImageForDevice = 209
cudaErrorAlreadyAcquired = 210
cudaErrorNotMapped = 211
cudaErrorNotMappedAsArray = 212
cudaErrorNotMappedAsPointer = 213
cudaErrorECCUncorrectable = 214
cudaErrorUnsupportedLimit = 215
cudaErrorDeviceAlreadyInUse = 216
cudaErrorPeerAccessUnsupported = 217
cudaErrorInvalidPtx = 218
cudaErrorInvalidGraphicsContext = 219
cudaErrorNvlinkUncorrectable = 220
cudaErrorJitCompilerNotFound = 221
cudaErrorUnsupportedPtxVersion = 222
cudaErrorJitCompilationDisabled = 223
cudaErrorUnsupportedExecAffinity = 224
cudaErrorUnsupportedDevSideSync = 225
cudaErrorContained = 226
cudaErrorInsufficientLoaderVersion = 227
cudaErrorInvalidSource = 300
cudaErrorFileNotFound = 301
cudaErrorSharedObjectSymbolNotFound = 302
cudaErrorSharedObjectInitFailed = 303
cudaErrorOperatingSystem = 304
cudaErrorInvalidResourceHandle = 400
cudaErrorIllegalState = 401
cudaErrorLossyQuery = 402
cudaErrorSymbolNotFound = 500
cudaErrorNotReady = 600
cudaErrorIllegalAddress = 700
cudaErrorLaunchOutOfResources = 701
cudaErrorLaunchTimeout = 702
cudaErrorLaunchIncompatibleTexturing = 703
cudaErrorPeerAccessAlreadyEnabled = 704
cudaErrorPeerAccessNotEnabled = 705
cudaErrorSetOnActiveProcess = 708
cudaErrorContextIsDestroyed = 709
cudaErrorAssert = 710
cudaErrorTooManyPeers = 711
cudaErrorHostMemoryAlreadyRegistered = 712
cudaErrorHostMemoryNotRegistered = 713
cudaErrorHardwareStackError = 714
cudaErrorIllegalInstruction = 715
cudaErrorMisalignedAddress = 716
cudaErrorInvalidAddressSpace = 717
cudaErrorInvalidPc = 718
cudaErrorLaunchFailure = 719
cudaErrorCooperativeLaunchTooLarge = 720
cudaErrorTensorMemoryLeak = 721
cudaErrorNotPermitted = 800
cudaErrorNotSupported = 801
cudaErrorSystemNotReady = 802
cudaErrorSystemDriverMismatch = 803
cudaErrorCompatNotSupportedOnDevice = 804
cudaErrorMpsConnectionFailed = 805
cudaErrorMpsRpcFailure = 806
cudaErrorMpsServerNotReady = 807
cudaErrorMpsMaxClientsReached = 808
cudaErrorMpsMaxConnectionsReached = 809
cudaErrorMpsClientTerminated = 810
cudaErrorCdpNotSupported = 811
cudaErrorCdpVersionMismatch = 812
cudaErrorStreamCaptureUnsupported = 900
cudaErrorStreamCaptureInvalidated = 901
cudaErrorStreamCaptureMerge = 902
cudaErrorStreamCaptureUnmatched = 903
cudaErrorStreamCaptureUnjoined = 904
cudaErrorStreamCaptureIsolation = 905
cudaErrorStreamCaptureImplicit = 906
cudaErrorCapturedEvent = 907
cudaErrorStreamCaptureWrongThread = 908
cudaErrorTimeout = 909
cudaErrorGraphExecUpdateFailure = 910
cudaErrorExternalDevice = 911
cudaErrorInvalidClusterSize = 912
cudaErrorFunctionNotLoaded = 913
cudaErrorInvalidResourceType = 914
cudaErrorInvalidResourceConfiguration = 915
cudaErrorStreamDetached = 917
cudaErrorGraphRecaptureFailure = 918
cudaErrorFabricNotReady = 919
cudaErrorUnknown = 999
cudaErrorApiFailureBase = 10000
cudaChannelFormatKindSigned = 0
cudaChannelFormatKindUnsigned = 1
cudaChannelFormatKindFloat = 2
cudaChannelFormatKindNone = 3
cudaChannelFormatKindNV12 = 4
cudaChannelFormatKindUnsignedNormalized8X1 = 5
cudaChannelFormatKindUnsignedNormalized8X2 = 6
cudaChannelFormatKindUnsignedNormalized8X4 = 7
cudaChannelFormatKindUnsignedNormalized16X1 = 8
cudaChannelFormatKindUnsignedNormalized16X2 = 9
cudaChannelFormatKindUnsignedNormalized16X4 = 10
cudaChannelFormatKindSignedNormalized8X1 = 11
cudaChannelFormatKindSignedNormalized8X2 = 12
cudaChannelFormatKindSignedNormalized8X4 = 13
cudaChannelFormatKindSignedNormalized16X1 = 14
cudaChannelFormatKindSignedNormalized16X2 = 15
cudaChannelFormatKindSignedNormalized16X4 = 16
cudaChannelFormatKindUnsignedBlockCompressed1 = 17
cudaChannelFormatKindUnsignedBlockCompressed1SRGB = 18
cudaChannelFormatKindUnsignedBlockCompressed2 = 19
cudaChannelFormatKindUnsignedBlockCompressed2SRGB = 20
cudaChannelFormatKindUnsignedBlockCompressed3 = 21
cudaChannelFormatKindUnsignedBlockCompressed3SRGB = 22
cudaChannelFormatKindUnsignedBlockCompressed4 = 23
cudaChannelFormatKindSignedBlockCompressed4 = 24
cudaChannelFormatKindUnsignedBlockCompressed5 = 25
cudaChannelFormatKindSignedBlockCompressed5 = 26
cudaChannelFormatKindUnsignedBlockCompressed6H = 27
cudaChannelFormatKindSignedBlockCompressed6H = 28
cudaChannelFormatKindUnsignedBlockCompressed7 = 29
cudaChannelFormatKindUnsignedBlockCompressed7SRGB = 30
cudaChannelFormatKindUnsignedNormalized1010102 = 31
cudaChannelFormatKindUnsigned8Packed422 = 32
cudaChannelFormatKindUnsigned8Packed444 = 33
cudaChannelFormatKindUnsigned8SemiPlanar420 = 34
cudaChannelFormatKindUnsigned16SemiPlanar420 = 35
cudaChannelFormatKindUnsigned8SemiPlanar422 = 36
cudaChannelFormatKindUnsigned16SemiPlanar422 = 37
cudaChannelFormatKindUnsigned8SemiPlanar444 = 38
cudaChannelFormatKindUnsigned16SemiPlanar444 = 39
cudaChannelFormatKindUnsigned8Planar420 = 40
cudaChannelFormatKindUnsigned16Planar420 = 41
cudaChannelFormatKindUnsigned8Planar422 = 42
cudaChannelFormatKindUnsigned16Planar422 = 43
cudaChannelFormatKindUnsigned8Planar444 = 44
cudaChannelFormatKindUnsigned16Planar444 = 45
cudaMemoryTypeUnregistered = 0
cudaMemoryTypeHost = 1
cudaMemoryTypeDevice = 2
cudaMemoryTypeManaged = 3
cudaMemcpyHostToHost = 0
cudaMemcpyHostToDevice = 1
cudaMemcpyDeviceToHost = 2
cudaMemcpyDeviceToDevice = 3
cudaMemcpyDefault = 4
cudaAccessPropertyNormal = 0
cudaAccessPropertyStreaming = 1
cudaAccessPropertyPersisting = 2
cudaStreamCaptureStatusNone = 0
cudaStreamCaptureStatusActive = 1
cudaStreamCaptureStatusInvalidated = 2
cudaGraphRecaptureEligibleForUpdate = 0
cudaGraphRecaptureIneligibleForUpdate = 1
cudaGraphRecaptureError = 2
cudaStreamCaptureModeGlobal = 0
cudaStreamCaptureModeThreadLocal = 1
cudaStreamCaptureModeRelaxed = 2
cudaSyncPolicyAuto = 1
cudaSyncPolicySpin = 2
cudaSyncPolicyYield = 3
cudaSyncPolicyBlockingSync = 4
cudaClusterSchedulingPolicyDefault = 0
cudaClusterSchedulingPolicySpread = 1
cudaClusterSchedulingPolicyLoadBalancing = 2
cudaClusterSchedulingPolicyRubinDsmemLocality = 3
cudaStreamAddCaptureDependencies = 0
cudaStreamSetCaptureDependencies = 1
cudaUserObjectNoDestructorSync = 1
cudaGraphUserObjectMove = 1
cudaHostTaskBlocking = 0
cudaHostTaskSpinWait = 1
cudaGraphicsRegisterFlagsNone = 0
cudaGraphicsRegisterFlagsReadOnly = 1
cudaGraphicsRegisterFlagsWriteDiscard = 2
cudaGraphicsRegisterFlagsSurfaceLoadStore = 4
cudaGraphicsRegisterFlagsTextureGather = 8
cudaGraphicsMapFlagsNone = 0
cudaGraphicsMapFlagsReadOnly = 1
cudaGraphicsMapFlagsWriteDiscard = 2
cudaGraphicsCubeFacePositiveX = 0
cudaGraphicsCubeFaceNegativeX = 1
cudaGraphicsCubeFacePositiveY = 2
cudaGraphicsCubeFaceNegativeY = 3
cudaGraphicsCubeFacePositiveZ = 4
cudaGraphicsCubeFaceNegativeZ = 5
cudaResourceTypeArray = 0
cudaResourceTypeMipmappedArray = 1
cudaResourceTypeLinear = 2
cudaResourceTypePitch2D = 3
cudaResViewFormatNone = 0
cudaResViewFormatUnsignedChar1 = 1
cudaResViewFormatUnsignedChar2 = 2
cudaResViewFormatUnsignedChar4 = 3
cudaResViewFormatSignedChar1 = 4
cudaResViewFormatSignedChar2 = 5
cudaResViewFormatSignedChar4 = 6
cudaResViewFormatUnsignedShort1 = 7
cudaResViewFormatUnsignedShort2 = 8
cudaResViewFormatUnsignedShort4 = 9
cudaResViewFormatSignedShort1 = 10
cudaResViewFormatSignedShort2 = 11
cudaResViewFormatSignedShort4 = 12
cudaResViewFormatUnsignedInt1 = 13
cudaResViewFormatUnsignedInt2 = 14
cudaResViewFormatUnsignedInt4 = 15
cudaResViewFormatSignedInt1 = 16
cudaResViewFormatSignedInt2 = 17
cudaResViewFormatSignedInt4 = 18
cudaResViewFormatHalf1 = 19
cudaResViewFormatHalf2 = 20
cudaResViewFormatHalf4 = 21
cudaResViewFormatFloat1 = 22
cudaResViewFormatFloat2 = 23
cudaResViewFormatFloat4 = 24
cudaResViewFormatUnsignedBlockCompressed1 = 25
cudaResViewFormatUnsignedBlockCompressed2 = 26
cudaResViewFormatUnsignedBlockCompressed3 = 27
cudaResViewFormatUnsignedBlockCompressed4 = 28
cudaResViewFormatSignedBlockCompressed4 = 29
cudaResViewFormatUnsignedBlockCompressed5 = 30
cudaResViewFormatSignedBlockCompressed5 = 31
cudaResViewFormatUnsignedBlockCompressed6H = 32
cudaResViewFormatSignedBlockCompressed6H = 33
cudaResViewFormatUnsignedBlockCompressed7 = 34
cudaSharedMemoryModeDefault = 0
cudaSharedMemoryModeRequirePortable = 1
cudaSharedMemoryModeAllowNonPortable = 2
cudaSharedMemoryModeAllowOversizedSharedMemory = 3
cudaSharedMemoryModePreferOversizedSharedMemory = 4
cudaFuncAttributeMaxDynamicSharedMemorySize = 8
cudaFuncAttributePreferredSharedMemoryCarveout = 9
cudaFuncAttributeClusterDimMustBeSet = 10
cudaFuncAttributeRequiredClusterWidth = 11
cudaFuncAttributeRequiredClusterHeight = 12
cudaFuncAttributeRequiredClusterDepth = 13
cudaFuncAttributeNonPortableClusterSizeAllowed = 14
cudaFuncAttributeClusterSchedulingPolicyPreference = 15
cudaFuncAttributeSharedMemoryMode = 16
cudaFuncAttributeMax = 17
cudaFuncCachePreferNone = 0
cudaFuncCachePreferShared = 1
cudaFuncCachePreferL1 = 2
cudaFuncCachePreferEqual = 3
cudaSharedMemBankSizeDefault = 0
cudaSharedMemBankSizeFourByte = 1
cudaSharedMemBankSizeEightByte = 2
cudaSharedmemCarveoutDefault = -1
cudaSharedmemCarveoutMaxShared = 100
cudaSharedmemCarveoutMaxL1 = 0
cudaComputeModeDefault = 0
cudaComputeModeExclusive = 1
cudaComputeModeProhibited = 2
cudaComputeModeExclusiveProcess = 3
cudaLimitStackSize = 0
cudaLimitPrintfFifoSize = 1
cudaLimitMallocHeapSize = 2
cudaLimitDevRuntimeSyncDepth = 3
cudaLimitDevRuntimePendingLaunchCount = 4
cudaLimitMaxL2FetchGranularity = 5
cudaLimitPersistingL2CacheSize = 6
cudaLimitPerBlockMemorySize = 10
cudaMemAdviseSetReadMostly = 1
cudaMemAdviseUnsetReadMostly = 2
cudaMemAdviseSetPreferredLocation = 3
cudaMemAdviseUnsetPreferredLocation = 4
cudaMemAdviseSetAccessedBy = 5
cudaMemAdviseUnsetAccessedBy = 6
cudaMemRangeAttributeReadMostly = 1
cudaMemRangeAttributePreferredLocation = 2
cudaMemRangeAttributeAccessedBy = 3
cudaMemRangeAttributeLastPrefetchLocation = 4
cudaMemRangeAttributePreferredLocationType = 5
cudaMemRangeAttributePreferredLocationId = 6
cudaMemRangeAttributeLastPrefetchLocationType = 7
cudaMemRangeAttributeLastPrefetchLocationId = 8
cudaFlushGPUDirectRDMAWritesOptionHost = 1
cudaFlushGPUDirectRDMAWritesOptionMemOps = 2
cudaGPUDirectRDMAWritesOrderingNone = 0
cudaGPUDirectRDMAWritesOrderingOwner = 100
cudaGPUDirectRDMAWritesOrderingAllDevices = 200
cudaFlushGPUDirectRDMAWritesToOwner = 100
cudaFlushGPUDirectRDMAWritesToAllDevices = 200
cudaFlushGPUDirectRDMAWritesTargetCurrentDevice = 0
cudaDevAttrMaxThreadsPerBlock = 1
cudaDevAttrMaxBlockDimX = 2
cudaDevAttrMaxBlockDimY = 3
cudaDevAttrMaxBlockDimZ = 4
cudaDevAttrMaxGridDimX = 5
cudaDevAttrMaxGridDimY = 6
cudaDevAttrMaxGridDimZ = 7
cudaDevAttrMaxSharedMemoryPerBlock = 8
cudaDevAttrTotalConstantMemory = 9
cudaDevAttrWarpSize = 10
cudaDevAttrMaxPitch = 11
cudaDevAttrMaxRegistersPerBlock = 12
cudaDevAttrClockRate = 13
cudaDevAttrTextureAlignment = 14
cudaDevAttrGpuOverlap = 15
cudaDevAttrMultiProcessorCount = 16
cudaDevAttrKernelExecTimeout = 17
cudaDevAttrIntegrated = 18
cudaDevAttrCanMapHostMemory = 19
cudaDevAttrComputeMode = 20
cudaDevAttrMaxTexture1DWidth = 21
cudaDevAttrMaxTexture2DWidth = 22
cudaDevAttrMaxTexture2DHeight = 23
cudaDevAttrMaxTexture3DWidth = 24
cudaDevAttrMaxTexture3DHeight = 25
cudaDevAttrMaxTexture3DDepth = 26
cudaDevAttrMaxTexture2DLayeredWidth = 27
cudaDevAttrMaxTexture2DLayeredHeight = 28
cudaDevAttrMaxTexture2DLayeredLayers = 29
cudaDevAttrSurfaceAlignment = 30
cudaDevAttrConcurrentKernels = 31
cudaDevAttrEccEnabled = 32
cudaDevAttrPciBusId = 33
cudaDevAttrPciDeviceId = 34
cudaDevAttrTccDriver = 35
cudaDevAttrMemoryClockRate = 36
cudaDevAttrGlobalMemoryBusWidth = 37
cudaDevAttrL2CacheSize = 38
cudaDevAttrMaxThreadsPerMultiProcessor = 39
cudaDevAttrAsyncEngineCount = 40
cudaDevAttrUnifiedAddressing = 41
cudaDevAttrMaxTexture1DLayeredWidth = 42
cudaDevAttrMaxTexture1DLayeredLayers = 43
cudaDevAttrMaxTexture2DGatherWidth = 45
cudaDevAttrMaxTexture2DGatherHeight = 46
cudaDevAttrMaxTexture3DWidthAlt = 47
cudaDevAttrMaxTexture3DHeightAlt = 48
cudaDevAttrMaxTexture3DDepthAlt = 49
cudaDevAttrPciDomainId = 50
cudaDevAttrTexturePitchAlignment = 51
cudaDevAttrMaxTextureCubemapWidth = 52
cudaDevAttrMaxTextureCubemapLayeredWidth = 53
cudaDevAttrMaxTextureCubemapLayeredLayers = 54
cudaDevAttrMaxSurface1DWidth = 55
cudaDevAttrMaxSurface2DWidth = 56
cudaDevAttrMaxSurface2DHeight = 57
cudaDevAttrMaxSurface3DWidth = 58
cudaDevAttrMaxSurface3DHeight = 59
cudaDevAttrMaxSurface3DDepth = 60
cudaDevAttrMaxSurface1DLayeredWidth = 61
cudaDevAttrMaxSurface1DLayeredLayers = 62
cudaDevAttrMaxSurface2DLayeredWidth = 63
cudaDevAttrMaxSurface2DLayeredHeight = 64
cudaDevAttrMaxSurface2DLayeredLayers = 65
cudaDevAttrMaxSurfaceCubemapWidth = 66
cudaDevAttrMaxSurfaceCubemapLayeredWidth = 67
cudaDevAttrMaxSurfaceCubemapLayeredLayers = 68
cudaDevAttrMaxTexture1DLinearWidth = 69
cudaDevAttrMaxTexture2DLinearWidth = 70
cudaDevAttrMaxTexture2DLinearHeight = 71
cudaDevAttrMaxTexture2DLinearPitch = 72
cudaDevAttrMaxTexture2DMipmappedWidth = 73
cudaDevAttrMaxTexture2DMipmappedHeight = 74
cudaDevAttrComputeCapabilityMajor = 75
cudaDevAttrComputeCapabilityMinor = 76
cudaDevAttrMaxTexture1DMipmappedWidth = 77
cudaDevAttrStreamPrioritiesSupported = 78
cudaDevAttrGlobalL1CacheSupported = 79
cudaDevAttrLocalL1CacheSupported = 80
cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81
cudaDevAttrMaxRegistersPerMultiprocessor = 82
cudaDevAttrManagedMemory = 83
cudaDevAttrIsMultiGpuBoard = 84
cudaDevAttrMultiGpuBoardGroupID = 85
cudaDevAttrHostNativeAtomicSupported = 86
cudaDevAttrSingleToDoublePrecisionPerfRatio = 87
cudaDevAttrPageableMemoryAccess = 88
cudaDevAttrConcurrentManagedAccess = 89
cudaDevAttrComputePreemptionSupported = 90
cudaDevAttrCanUseHostPointerForRegisteredMem = 91
cudaDevAttrReserved92 = 92
cudaDevAttrReserved93 = 93
cudaDevAttrReserved94 = 94
cudaDevAttrCooperativeLaunch = 95
cudaDevAttrReserved96 = 96
cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
cudaDevAttrCanFlushRemoteWrites = 98
cudaDevAttrHostRegisterSupported = 99
cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100
cudaDevAttrDirectManagedMemAccessFromHost = 101
cudaDevAttrMaxBlocksPerMultiprocessor = 106
cudaDevAttrMaxPersistingL2CacheSize = 108
cudaDevAttrMaxAccessPolicyWindowSize = 109
cudaDevAttrReservedSharedMemoryPerBlock = 111
cudaDevAttrSparseCudaArraySupported = 112
cudaDevAttrHostRegisterReadOnlySupported = 113
cudaDevAttrTimelineSemaphoreInteropSupported = 114
cudaDevAttrMemoryPoolsSupported = 115
cudaDevAttrGPUDirectRDMASupported = 116
cudaDevAttrGPUDirectRDMAFlushWritesOptions = 117
cudaDevAttrGPUDirectRDMAWritesOrdering = 118
cudaDevAttrMemoryPoolSupportedHandleTypes = 119
cudaDevAttrClusterLaunch = 120
cudaDevAttrDeferredMappingCudaArraySupported = 121
cudaDevAttrReserved122 = 122
cudaDevAttrReserved123 = 123
cudaDevAttrReserved124 = 124
cudaDevAttrIpcEventSupport = 125
cudaDevAttrMemSyncDomainCount = 126
cudaDevAttrReserved127 = 127
cudaDevAttrReserved128 = 128
cudaDevAttrReserved129 = 129
cudaDevAttrNumaConfig = 130
cudaDevAttrNumaId = 131
cudaDevAttrReserved132 = 132
cudaDevAttrMpsEnabled = 133
cudaDevAttrHostNumaId = 134
cudaDevAttrD3D12CigSupported = 135
cudaDevAttrVulkanCigSupported = 138
cudaDevAttrGpuPciDeviceId = 139
cudaDevAttrGpuPciSubsystemId = 140
cudaDevAttrReserved141 = 141
cudaDevAttrHostNumaMemoryPoolsSupported = 142
cudaDevAttrHostNumaMultinodeIpcSupported = 143
cudaDevAttrHostMemoryPoolsSupported = 144
cudaDevAttrReserved145 = 145
cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147
cudaDevAttrAtomicReductionSupported = 148
cudaDevAttrLocalityDomainCount = 149
cudaDevAttrOversizedSharedMemoryPerBlock = 150
cudaDevAttrCigStreamsSupported = 151
cudaDevAttrLocalityDomainMultiprocessorCount = 157
cudaDevAttrTensorMapLargeTensorMinSize = 160
cudaDevAttrMax = 161
cudaMemPoolReuseFollowEventDependencies = 1
cudaMemPoolReuseAllowOpportunistic = 2
cudaMemPoolReuseAllowInternalDependencies = 3
cudaMemPoolAttrReleaseThreshold = 4
cudaMemPoolAttrReservedMemCurrent = 5
cudaMemPoolAttrReservedMemHigh = 6
cudaMemPoolAttrUsedMemCurrent = 7
cudaMemPoolAttrUsedMemHigh = 8
cudaMemPoolAttrAllocationType = 9
cudaMemPoolAttrExportHandleTypes = 10
cudaMemPoolAttrLocationId = 11
cudaMemPoolAttrLocationType = 12
cudaMemPoolAttrMaxPoolSize = 13
cudaMemPoolAttrHwDecompressEnabled = 14
cudaMemPoolAttrLocalityDomainId = 15
cudaMemLocationTypeInvalid = 0
cudaMemLocationTypeNone = 0
cudaMemLocationTypeDevice = 1
cudaMemLocationTypeHost = 2
cudaMemLocationTypeHostNuma = 3
cudaMemLocationTypeHostNumaCurrent = 4
cudaMemLocationTypeInvisible = 5
cudaMemLocationTypeDeviceLocalityDomain = 6
cudaMemAccessFlagsProtNone = 0
cudaMemAccessFlagsProtRead = 1
cudaMemAccessFlagsProtReadWrite = 3
cudaMemAllocationTypeInvalid = 0
cudaMemAllocationTypePinned = 1
cudaMemAllocationTypeManaged = 2
cudaMemAllocationTypeMax = 2147483647
cudaMemHandleTypeNone = 0
cudaMemHandleTypePosixFileDescriptor = 1
cudaMemHandleTypeWin32 = 2
cudaMemHandleTypeWin32Kmt = 4
cudaMemHandleTypeFabric = 8
cudaGraphMemAttrUsedMemCurrent = 0
cudaGraphMemAttrUsedMemHigh = 1
cudaGraphMemAttrReservedMemCurrent = 2
cudaGraphMemAttrReservedMemHigh = 3
cudaMemcpyFlagDefault = 0
cudaMemcpyFlagPreferOverlapWithCompute = 1
cudaMemcpySrcAccessOrderInvalid = 0
cudaMemcpySrcAccessOrderStream = 1
cudaMemcpySrcAccessOrderDuringApiCall = 2
cudaMemcpySrcAccessOrderAny = 3
cudaMemcpySrcAccessOrderMax = 2147483647
cudaMemcpyOperandTypePointer = 1
cudaMemcpyOperandTypeArray = 2
cudaMemcpyOperandTypeMax = 2147483647
cudaDevP2PAttrPerformanceRank = 1
cudaDevP2PAttrAccessSupported = 2
cudaDevP2PAttrNativeAtomicSupported = 3
cudaDevP2PAttrCudaArrayAccessSupported = 4
cudaDevP2PAttrOnlyPartialNativeAtomicSupported = 5
cudaAtomicOperationIntegerAdd = 0
cudaAtomicOperationIntegerMin = 1
cudaAtomicOperationIntegerMax = 2
cudaAtomicOperationIntegerIncrement = 3
cudaAtomicOperationIntegerDecrement = 4
cudaAtomicOperationAnd = 5
cudaAtomicOperationOr = 6
cudaAtomicOperationXOR = 7
cudaAtomicOperationExchange = 8
cudaAtomicOperationCAS = 9
cudaAtomicOperationFloatAdd = 10
cudaAtomicOperationFloatMin = 11
cudaAtomicOperationFloatMax = 12
cudaAtomicCapabilitySigned = 1
cudaAtomicCapabilityUnsigned = 2
cudaAtomicCapabilityReduction = 4
cudaAtomicCapabilityScalar32 = 8
cudaAtomicCapabilityScalar64 = 16
cudaAtomicCapabilityScalar128 = 32
cudaAtomicCapabilityVector32x4 = 64
cudaExternalMemoryHandleTypeOpaqueFd = 1
cudaExternalMemoryHandleTypeOpaqueWin32 = 2
cudaExternalMemoryHandleTypeOpaqueWin32Kmt = 3
cudaExternalMemoryHandleTypeD3D12Heap = 4
cudaExternalMemoryHandleTypeD3D12Resource = 5
cudaExternalMemoryHandleTypeD3D11Resource = 6
cudaExternalMemoryHandleTypeD3D11ResourceKmt = 7
cudaExternalMemoryHandleTypeNvSciBuf = 8
cudaExternalSemaphoreHandleTypeOpaqueFd = 1
cudaExternalSemaphoreHandleTypeOpaqueWin32 = 2
cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3
cudaExternalSemaphoreHandleTypeD3D12Fence = 4
cudaExternalSemaphoreHandleTypeD3D11Fence = 5
cudaExternalSemaphoreHandleTypeNvSciSync = 6
cudaExternalSemaphoreHandleTypeKeyedMutex = 7
cudaExternalSemaphoreHandleTypeKeyedMutexKmt = 8
cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9
cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10
cudaDevSmResourceGroupDefault = 0
cudaDevSmResourceGroupBackfill = 1
cudaDevSmResourceGroupLocalityDomainId = 2
cudaDevSmResourceGroupLocalityDomainSupplementalSms = 4
cudaDevSmResourceSplitIgnoreSmCoscheduling = 1
cudaDevSmResourceSplitMaxPotentialClusterSize = 2
cudaDevResourceTypeInvalid = 0
cudaDevResourceTypeSm = 1
cudaDevResourceTypeWorkqueueConfig = 1000
cudaDevResourceTypeWorkqueue = 10000
cudaDevWorkqueueConfigScopeDeviceCtx = 0
cudaDevWorkqueueConfigScopeGreenCtxBalanced = 1
cudaJitMaxRegisters = 0
cudaJitThreadsPerBlock = 1
cudaJitWallTime = 2
cudaJitInfoLogBuffer = 3
cudaJitInfoLogBufferSizeBytes = 4
cudaJitErrorLogBuffer = 5
cudaJitErrorLogBufferSizeBytes = 6
cudaJitOptimizationLevel = 7
cudaJitFallbackStrategy = 10
cudaJitGenerateDebugInfo = 11
cudaJitLogVerbose = 12
cudaJitGenerateLineInfo = 13
cudaJitCacheMode = 14
cudaJitPositionIndependentCode = 30
cudaJitMinCtaPerSm = 31
cudaJitMaxThreadsPerBlock = 32
cudaJitOverrideDirectiveValues = 33
cudaLibraryHostUniversalFunctionAndDataTable = 0
cudaLibraryBinaryIsPreserved = 1
cudaJitCacheOptionNone = 0
cudaJitCacheOptionCG = 1
cudaJitCacheOptionCA = 2
cudaPreferPtx = 0
cudaPreferBinary = 1
cudaCGScopeInvalid = 0
cudaCGScopeGrid = 1
cudaCGScopeReserved = 2
cudaKernelFunctionTypeUnspecified = 0
cudaKernelFunctionTypeDeviceEntry = 1
cudaKernelFunctionTypeKernel = 2
cudaKernelFunctionTypeFunction = 3
cudaGraphCondAssignDefault = 1
cudaGraphCondTypeIf = 0
cudaGraphCondTypeWhile = 1
cudaGraphCondTypeSwitch = 2
cudaGraphNodeTypeKernel = 0
cudaGraphNodeTypeMemcpy = 1
cudaGraphNodeTypeMemset = 2
cudaGraphNodeTypeHost = 3
cudaGraphNodeTypeGraph = 4
cudaGraphNodeTypeEmpty = 5
cudaGraphNodeTypeWaitEvent = 6
cudaGraphNodeTypeEventRecord = 7
cudaGraphNodeTypeExtSemaphoreSignal = 8
cudaGraphNodeTypeExtSemaphoreWait = 9
cudaGraphNodeTypeMemAlloc = 10
cudaGraphNodeTypeMemFree = 11
cudaGraphNodeTypeConditional = 13
cudaGraphNodeTypeMemcpyBatch = 14
cudaGraphNodeTypeReserved16 = 16
cudaGraphNodeTypeExternalEngine = 17
cudaGraphNodeTypeCount = 18
cudaGraphChildGraphOwnershipClone = 0
cudaGraphChildGraphOwnershipMove = 1
cudaGraphChildGraphOwnershipInvalid = -1
cudaGraphDependencyTypeDefault = 0
cudaGraphDependencyTypeProgrammatic = 1
cudaGraphExecUpdateSuccess = 0
cudaGraphExecUpdateError = 1
cudaGraphExecUpdateErrorTopologyChanged = 2
cudaGraphExecUpdateErrorNodeTypeChanged = 3
cudaGraphExecUpdateErrorFunctionChanged = 4
cudaGraphExecUpdateErrorParametersChanged = 5
cudaGraphExecUpdateErrorNotSupported = 6
cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7
cudaGraphExecUpdateErrorAttributesChanged = 8
cudaGraphInstantiateSuccess = 0
cudaGraphInstantiateError = 1
cudaGraphInstantiateInvalidStructure = 2
cudaGraphInstantiateNodeOperationNotSupported = 3
cudaGraphInstantiateMultipleDevicesNotSupported = 4
cudaGraphInstantiateConditionalHandleUnused = 5
cudaGraphKernelNodeFieldInvalid = 0
cudaGraphKernelNodeFieldGridDim = 1
cudaGraphKernelNodeFieldParam = 2
cudaGraphKernelNodeFieldEnabled = 3
cudaEnableDefault = 0
cudaEnableLegacyStream = 1
cudaEnablePerThreadDefaultStream = 2
cudaDriverEntryPointSuccess = 0
cudaDriverEntryPointSymbolNotFound = 1
cudaDriverEntryPointVersionNotSufficent = 2
cudaGraphDebugDotFlagsVerbose = 1
cudaGraphDebugDotFlagsKernelNodeParams = 4
cudaGraphDebugDotFlagsMemcpyNodeParams = 8
cudaGraphDebugDotFlagsMemsetNodeParams = 16
cudaGraphDebugDotFlagsHostNodeParams = 32
cudaGraphDebugDotFlagsEventNodeParams = 64
cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128
cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256
cudaGraphDebugDotFlagsKernelNodeAttributes = 512
cudaGraphDebugDotFlagsHandles = 1024
cudaGraphDebugDotFlagsConditionalNodeParams = 32768
cudaGraphDebugDotFlagsMemcpyBatchNodeParams = 65536
cudaGraphInstantiateFlagAutoFreeOnLaunch = 1
cudaGraphInstantiateFlagUpload = 2
cudaGraphInstantiateFlagDeviceLaunch = 4
cudaGraphInstantiateFlagUseNodePriority = 8
cudaLaunchMemSyncDomainDefault = 0
cudaLaunchMemSyncDomainRemote = 1
cudaLaunchPortableClusterModeDefault = 0
cudaLaunchPortableClusterModeRequirePortable = 1
cudaLaunchPortableClusterModeAllowNonPortable = 2
cudaLaunchAttributeIgnore = 0
cudaLaunchAttributeAccessPolicyWindow = 1
cudaLaunchAttributeCooperative = 2
cudaLaunchAttributeSynchronizationPolicy = 3
cudaLaunchAttributeClusterDimension = 4
cudaLaunchAttributeClusterSchedulingPolicyPreference = 5
cudaLaunchAttributeProgrammaticStreamSerialization = 6
cudaLaunchAttributeProgrammaticEvent = 7
cudaLaunchAttributePriority = 8
cudaLaunchAttributeMemSyncDomainMap = 9
cudaLaunchAttributeMemSyncDomain = 10
cudaLaunchAttributePreferredClusterDimension = 11
cudaLaunchAttributeLaunchCompletionEvent = 12
cudaLaunchAttributeDeviceUpdatableKernelNode = 13
cudaLaunchAttributePreferredSharedMemoryCarveout = 14
cudaLaunchAttributeNvlinkUtilCentricScheduling = 16
cudaLaunchAttributePortableClusterSizeMode = 17
cudaLaunchAttributeSharedMemoryMode = 18
cudaDeviceNumaConfigNone = 0
cudaDeviceNumaConfigNumaNode = 1
cudaAsyncNotificationTypeOverBudget = 1
cudaLogLevelError = 0
cudaLogLevelWarning = 1
cudaFabricOpStatusSourceMbarrierV1 = 0
cudaFabricOpStatusSourceMax = 2147483647
cudaFabricOpStatusInfoSuccess = 0
cudaFabricOpStatusInfoLast = 0
cudaFabricOpStatusInfoMax = 2147483647
cudaBoundaryModeZero = 0
cudaBoundaryModeClamp = 1
cudaBoundaryModeTrap = 2
cudaFormatModeForced = 0
cudaFormatModeAuto = 1
cudaAddressModeWrap = 0
cudaAddressModeClamp = 1
cudaAddressModeMirror = 2
cudaAddressModeBorder = 3
cudaFilterModePoint = 0
cudaFilterModeLinear = 1
cudaReadModeElementType = 0
cudaReadModeNormalizedFloat = 1
CUDA_R_16F = 2
CUDA_C_16F = 6
CUDA_R_16BF = 14
CUDA_C_16BF = 15
CUDA_R_32F = 0
CUDA_C_32F = 4
CUDA_R_64F = 1
CUDA_C_64F = 5
CUDA_R_4I = 16
CUDA_C_4I = 17
CUDA_R_4U = 18
CUDA_C_4U = 19
CUDA_R_8I = 3
CUDA_C_8I = 7
CUDA_R_8U = 8
CUDA_C_8U = 9
CUDA_R_16I = 20
CUDA_C_16I = 21
CUDA_R_16U = 22
CUDA_C_16U = 23
CUDA_R_32I = 10
CUDA_C_32I = 11
CUDA_R_32U = 12
CUDA_C_32U = 13
CUDA_R_64I = 24
CUDA_C_64I = 25
CUDA_R_64U = 26
CUDA_C_64U = 27
CUDA_R_8F_E4M3 = 28
CUDA_R_8F_UE4M3 = 28
CUDA_R_8F_E5M2 = 29
CUDA_R_8F_UE8M0 = 30
CUDA_R_6F_E2M3 = 31
CUDA_R_6F_E3M2 = 32
CUDA_R_4F_E2M1 = 33
CUDA_R_8F_UE5M3 = 34
CUDA_EMULATION_STRATEGY_DEFAULT = 0
CUDA_EMULATION_STRATEGY_PERFORMANT = 1
CUDA_EMULATION_STRATEGY_EAGER = 2
CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC = 0
CUDA_EMULATION_MANTISSA_CONTROL_FIXED = 1
CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT = 65535
CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE = 0
CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_INFINITY = 1
CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN = 2
MAJOR_VERSION = 0
MINOR_VERSION = 1
PATCH_LEVEL = 2
cudaEglFrameTypeArray = 0
cudaEglFrameTypePitch = 1
cudaEglResourceLocationSysmem = 0
cudaEglResourceLocationVidmem = 1
cudaEglColorFormatYUV420Planar = 0
cudaEglColorFormatYUV420SemiPlanar = 1
cudaEglColorFormatYUV422Planar = 2
cudaEglColorFormatYUV422SemiPlanar = 3
cudaEglColorFormatARGB = 6
cudaEglColorFormatRGBA = 7
cudaEglColorFormatL = 8
cudaEglColorFormatR = 9
cudaEglColorFormatYUV444Planar = 10
cudaEglColorFormatYUV444SemiPlanar = 11
cudaEglColorFormatYUYV422 = 12
cudaEglColorFormatUYVY422 = 13
cudaEglColorFormatABGR = 14
cudaEglColorFormatBGRA = 15
cudaEglColorFormatA = 16
cudaEglColorFormatRG = 17
cudaEglColorFormatAYUV = 18
cudaEglColorFormatYVU444SemiPlanar = 19
cudaEglColorFormatYVU422SemiPlanar = 20
cudaEglColorFormatYVU420SemiPlanar = 21
cudaEglColorFormatY10V10U10_444SemiPlanar = 22
cudaEglColorFormatY10V10U10_420SemiPlanar = 23
cudaEglColorFormatY12V12U12_444SemiPlanar = 24
cudaEglColorFormatY12V12U12_420SemiPlanar = 25
cudaEglColorFormatVYUY_ER = 26
cudaEglColorFormatUYVY_ER = 27
cudaEglColorFormatYUYV_ER = 28
cudaEglColorFormatYVYU_ER = 29
cudaEglColorFormatYUVA_ER = 31
cudaEglColorFormatAYUV_ER = 32
cudaEglColorFormatYUV444Planar_ER = 33
cudaEglColorFormatYUV422Planar_ER = 34
cudaEglColorFormatYUV420Planar_ER = 35
cudaEglColorFormatYUV444SemiPlanar_ER = 36
cudaEglColorFormatYUV422SemiPlanar_ER = 37
cudaEglColorFormatYUV420SemiPlanar_ER = 38
cudaEglColorFormatYVU444Planar_ER = 39
cudaEglColorFormatYVU422Planar_ER = 40
cudaEglColorFormatYVU420Planar_ER = 41
cudaEglColorFormatYVU444SemiPlanar_ER = 42
cudaEglColorFormatYVU422SemiPlanar_ER = 43
cudaEglColorFormatYVU420SemiPlanar_ER = 44
cudaEglColorFormatBayerRGGB = 45
cudaEglColorFormatBayerBGGR = 46
cudaEglColorFormatBayerGRBG = 47
cudaEglColorFormatBayerGBRG = 48
cudaEglColorFormatBayer10RGGB = 49
cudaEglColorFormatBayer10BGGR = 50
cudaEglColorFormatBayer10GRBG = 51
cudaEglColorFormatBayer10GBRG = 52
cudaEglColorFormatBayer12RGGB = 53
cudaEglColorFormatBayer12BGGR = 54
cudaEglColorFormatBayer12GRBG = 55
cudaEglColorFormatBayer12GBRG = 56
cudaEglColorFormatBayer14RGGB = 57
cudaEglColorFormatBayer14BGGR = 58
cudaEglColorFormatBayer14GRBG = 59
cudaEglColorFormatBayer14GBRG = 60
cudaEglColorFormatBayer20RGGB = 61
cudaEglColorFormatBayer20BGGR = 62
cudaEglColorFormatBayer20GRBG = 63
cudaEglColorFormatBayer20GBRG = 64
cudaEglColorFormatYVU444Planar = 65
cudaEglColorFormatYVU422Planar = 66
cudaEglColorFormatYVU420Planar = 67
cudaEglColorFormatBayerIspRGGB = 68
cudaEglColorFormatBayerIspBGGR = 69
cudaEglColorFormatBayerIspGRBG = 70
cudaEglColorFormatBayerIspGBRG = 71
cudaEglColorFormatBayerBCCR = 72
cudaEglColorFormatBayerRCCB = 73
cudaEglColorFormatBayerCRBC = 74
cudaEglColorFormatBayerCBRC = 75
cudaEglColorFormatBayer10CCCC = 76
cudaEglColorFormatBayer12BCCR = 77
cudaEglColorFormatBayer12RCCB = 78
cudaEglColorFormatBayer12CRBC = 79
cudaEglColorFormatBayer12CBRC = 80
cudaEglColorFormatBayer12CCCC = 81
cudaEglColorFormatY = 82
cudaEglColorFormatYUV420SemiPlanar_2020 = 83
cudaEglColorFormatYVU420SemiPlanar_2020 = 84
cudaEglColorFormatYUV420Planar_2020 = 85
cudaEglColorFormatYVU420Planar_2020 = 86
cudaEglColorFormatYUV420SemiPlanar_709 = 87
cudaEglColorFormatYVU420SemiPlanar_709 = 88
cudaEglColorFormatYUV420Planar_709 = 89
cudaEglColorFormatYVU420Planar_709 = 90
cudaEglColorFormatY10V10U10_420SemiPlanar_709 = 91
cudaEglColorFormatY10V10U10_420SemiPlanar_2020 = 92
cudaEglColorFormatY10V10U10_422SemiPlanar_2020 = 93
cudaEglColorFormatY10V10U10_422SemiPlanar = 94
cudaEglColorFormatY10V10U10_422SemiPlanar_709 = 95
cudaEglColorFormatY_ER = 96
cudaEglColorFormatY_709_ER = 97
cudaEglColorFormatY10_ER = 98
cudaEglColorFormatY10_709_ER = 99
cudaEglColorFormatY12_ER = 100
cudaEglColorFormatY12_709_ER = 101
cudaEglColorFormatYUVA = 102
cudaEglColorFormatYVYU = 104
cudaEglColorFormatVYUY = 105
cudaEglColorFormatY10V10U10_420SemiPlanar_ER = 106
cudaEglColorFormatY10V10U10_420SemiPlanar_709_ER = 107
cudaEglColorFormatY10V10U10_444SemiPlanar_ER = 108
cudaEglColorFormatY10V10U10_444SemiPlanar_709_ER = 109
cudaEglColorFormatY12V12U12_420SemiPlanar_ER = 110
cudaEglColorFormatY12V12U12_420SemiPlanar_709_ER = 111
cudaEglColorFormatY12V12U12_444SemiPlanar_ER = 112
cudaEglColorFormatY12V12U12_444SemiPlanar_709_ER = 113
cudaEglColorFormatUYVY709 = 114
cudaEglColorFormatUYVY709_ER = 115
cudaEglColorFormatUYVY2020 = 116
cudaGLDeviceListAll = 1
cudaGLDeviceListCurrentFrame = 2
cudaGLDeviceListNextFrame = 3
cudaGLMapFlagsNone = 0
cudaGLMapFlagsReadOnly = 1
cudaGLMapFlagsWriteDiscard = 2
CUDART_VERSION = 13050
cudaHostAllocDefault = 0
cudaHostAllocPortable = 1
cudaHostAllocMapped = 2
cudaHostAllocWriteCombined = 4
cudaHostRegisterDefault = 0
cudaHostRegisterPortable = 1
cudaHostRegisterMapped = 2
cudaHostRegisterIoMemory = 4
cudaHostRegisterReadOnly = 8
cudaPeerAccessDefault = 0
cudaStreamDefault = 0
cudaStreamNonBlocking = 1
cudaStreamLegacy = 1
cudaStreamPerThread = 2
cudaEventDefault = 0
cudaEventBlockingSync = 1
cudaEventDisableTiming = 2
cudaEventInterprocess = 4
cudaEventRecordDefault = 0
cudaEventRecordExternal = 1
cudaEventWaitDefault = 0
cudaEventWaitExternal = 1
cudaDeviceScheduleAuto = 0
cudaDeviceScheduleSpin = 1
cudaDeviceScheduleYield = 2
cudaDeviceScheduleBlockingSync = 4
cudaDeviceBlockingSync = 4
cudaDeviceScheduleMask = 7
cudaDeviceMapHost = 8
cudaDeviceLmemResizeToMax = 16
cudaDeviceSyncMemops = 128
cudaDeviceMask = 255
cudaArrayDefault = 0
cudaArrayLayered = 1
cudaArraySurfaceLoadStore = 2
cudaArrayCubemap = 4
cudaArrayTextureGather = 8
cudaArrayColorAttachment = 32
cudaArraySparse = 64
cudaArrayDeferredMapping = 128
cudaIpcMemLazyEnablePeerAccess = 1
cudaMemAttachGlobal = 1
cudaMemAttachHost = 2
cudaMemAttachSingle = 4
cudaOccupancyDefault = 0
cudaOccupancyDisableCachingOverride = 1
cudaCpuDeviceId = -1
cudaInvalidDeviceId = -2
cudaInitDeviceFlagsAreValid = 1
cudaArraySparsePropertiesSingleMipTail = 1
cudaMemPoolCreateUsageHwDecompress = 2
CUDA_IPC_HANDLE_SIZE = 64
cudaExternalMemoryDedicated = 1
cudaExternalSemaphoreSignalSkipNvSciBufMemSync = 1
cudaExternalSemaphoreWaitSkipNvSciBufMemSync = 2
cudaNvSciSyncAttrSignal = 1
cudaNvSciSyncAttrWait = 2
cudaDevSmResourceGroupLocalityDomainIdAny = 4294967295
cudaGraphKernelNodePortDefault = 0
cudaGraphKernelNodePortProgrammatic = 1
cudaGraphKernelNodePortLaunchCompletion = 2
cudaStreamAttributeAccessPolicyWindow = 1
cudaStreamAttributeSynchronizationPolicy = 3
cudaStreamAttributeMemSyncDomainMap = 9
cudaStreamAttributeMemSyncDomain = 10
cudaStreamAttributePriority = 8
cudaKernelNodeAttributeAccessPolicyWindow = 1
cudaKernelNodeAttributeCooperative = 2
cudaKernelNodeAttributePriority = 8
cudaKernelNodeAttributeClusterDimension = 4
cudaKernelNodeAttributeClusterSchedulingPolicyPreference = 5
cudaKernelNodeAttributeMemSyncDomainMap = 9
cudaKernelNodeAttributeMemSyncDomain = 10
cudaKernelNodeAttributePreferredSharedMemoryCarveout = 14
cudaKernelNodeAttributeDeviceUpdatableKernelNode = 13
cudaKernelNodeAttributeNvlinkUtilCentricScheduling = 16
cudaSurfaceType1D = 1
cudaSurfaceType2D = 2
cudaSurfaceType3D = 3
cudaSurfaceTypeCubemap = 12
cudaSurfaceType1DLayered = 241
cudaSurfaceType2DLayered = 242
cudaSurfaceTypeCubemapLayered = 252
cudaTextureType1D = 1
cudaTextureType2D = 2
cudaTextureType3D = 3
cudaTextureTypeCubemap = 12
cudaTextureType1DLayered = 241
cudaTextureType2DLayered = 242
cudaTextureTypeCubemapLayered = 252
isEglSupported = 1
CUDA_EGL_MAX_PLANES = 3

# name: (is a union, ((field, type, bits if a bit-field), ...)); a tuple is an array
STRUCTS = {
    'dim3': (0, (('x', 'c_uint32'), ('y', 'c_uint32'), ('z', 'c_uint32'))),
    'cudaChannelFormatDesc': (0, (('x', 'c_int32'), ('y', 'c_int32'), ('z', 'c_int32'), ('w', 'c_int32'), ('f', 'c_uint32'))),
    'anon_struct0': (0, (('width', 'c_uint32'), ('height', 'c_uint32'), ('depth', 'c_uint32'))),
    'cudaArraySparseProperties': (0, (('tileExtent', 'anon_struct0'), ('miptailFirstLevel', 'c_uint32'), ('miptailSize', 'c_uint64'), ('flags', 'c_uint32'), ('reserved', ('c_uint32', 4)))),
    'cudaArrayMemoryRequirements': (0, (('size', 'c_uint64'), ('alignment', 'c_uint64'), ('reserved', ('c_uint32', 4)))),
    'cudaPitchedPtr': (0, (('ptr', 'c_uint64'), ('pitch', 'c_uint64'), ('xsize', 'c_uint64'), ('ysize', 'c_uint64'))),
    'cudaExtent': (0, (('width', 'c_uint64'), ('height', 'c_uint64'), ('depth', 'c_uint64'))),
    'cudaPos': (0, (('x', 'c_uint64'), ('y', 'c_uint64'), ('z', 'c_uint64'))),
    'cudaMemcpy3DParms': (0, (('srcArray', 'c_uint64'), ('srcPos', 'cudaPos'), ('srcPtr', 'cudaPitchedPtr'), ('dstArray', 'c_uint64'), ('dstPos', 'cudaPos'), ('dstPtr', 'cudaPitchedPtr'), ('extent', 'cudaExtent'), ('kind', 'c_uint32'))),
    'cudaMemcpyNodeParams': (0, (('flags', 'c_int32'), ('reserved', 'c_int32'), ('ctx', 'c_uint64'), ('copyParams', 'cudaMemcpy3DParms'))),
    'cudaMemcpy3DPeerParms': (0, (('srcArray', 'c_uint64'), ('srcPos', 'cudaPos'), ('srcPtr', 'cudaPitchedPtr'), ('srcDevice', 'c_int32'), ('dstArray', 'c_uint64'), ('dstPos', 'cudaPos'), ('dstPtr', 'cudaPitchedPtr'), ('dstDevice', 'c_int32'), ('extent', 'cudaExtent'))),
    'cudaMemsetParams': (0, (('dst', 'c_uint64'), ('pitch', 'c_uint64'), ('value', 'c_uint32'), ('elementSize', 'c_uint32'), ('width', 'c_uint64'), ('height', 'c_uint64'))),
    'cudaMemsetParamsV2': (0, (('dst', 'c_uint64'), ('pitch', 'c_uint64'), ('value', 'c_uint32'), ('elementSize', 'c_uint32'), ('width', 'c_uint64'), ('height', 'c_uint64'), ('ctx', 'c_uint64'))),
    'cudaAccessPolicyWindow': (0, (('base_ptr', 'c_uint64'), ('num_bytes', 'c_uint64'), ('hitRatio', 'c_float'), ('hitProp', 'c_uint32'), ('missProp', 'c_uint32'))),
    'cudaHostNodeParams': (0, (('fn', 'c_uint64'), ('userData', 'c_uint64'))),
    'cudaHostNodeParamsV2': (0, (('fn', 'c_uint64'), ('userData', 'c_uint64'), ('syncMode', 'c_uint32'), ('ctx', 'c_uint64'))),
    'anon_struct1': (0, (('array', 'c_uint64'),)),
    'anon_struct2': (0, (('mipmap', 'c_uint64'),)),
    'anon_struct3': (0, (('devPtr', 'c_uint64'), ('desc', 'cudaChannelFormatDesc'), ('sizeInBytes', 'c_uint64'))),
    'anon_struct4': (0, (('devPtr', 'c_uint64'), ('desc', 'cudaChannelFormatDesc'), ('width', 'c_uint64'), ('height', 'c_uint64'), ('pitchInBytes', 'c_uint64'))),
    'anon_struct5': (0, (('reserved', ('c_int32', 32)),)),
    'anon_union0': (1, (('array', 'anon_struct1'), ('mipmap', 'anon_struct2'), ('linear', 'anon_struct3'), ('pitch2D', 'anon_struct4'), ('reserved', 'anon_struct5'))),
    'cudaResourceDesc': (0, (('resType', 'c_uint32'), ('res', 'anon_union0'), ('flags', 'c_uint32'))),
    'cudaResourceViewDesc': (0, (('format', 'c_uint32'), ('width', 'c_uint64'), ('height', 'c_uint64'), ('depth', 'c_uint64'), ('firstMipmapLevel', 'c_uint32'), ('lastMipmapLevel', 'c_uint32'), ('firstLayer', 'c_uint32'), ('lastLayer', 'c_uint32'), ('reserved', ('c_uint32', 16)))),
    'anon_union1': (1, (('localityDomainOrdinal', 'c_int32'), ('unused', 'c_int64'))),
    'cudaPointerAttributes': (0, (('type', 'c_uint32'), ('device', 'c_int32'), ('devicePointer', 'c_uint64'), ('hostPointer', 'c_uint64'), ('_anonymous4', 'anon_union1'), ('reserved', ('c_int64', 7)))),
    'cudaFuncAttributes': (0, (('sharedSizeBytes', 'c_uint64'), ('constSizeBytes', 'c_uint64'), ('localSizeBytes', 'c_uint64'), ('maxThreadsPerBlock', 'c_int32'), ('numRegs', 'c_int32'), ('ptxVersion', 'c_int32'), ('binaryVersion', 'c_int32'), ('cacheModeCA', 'c_int32'), ('maxDynamicSharedSizeBytes', 'c_int32'), ('preferredShmemCarveout', 'c_int32'), ('clusterDimMustBeSet', 'c_int32'), ('requiredClusterWidth', 'c_int32'), ('requiredClusterHeight', 'c_int32'), ('requiredClusterDepth', 'c_int32'), ('clusterSchedulingPolicyPreference', 'c_int32'), ('nonPortableClusterSizeAllowed', 'c_int32'), ('deviceNodeUpdateStatus', 'c_int32'), ('sharedMemoryMode', 'c_uint32'), ('reserved', ('c_int32', 14)))),
    'anon_struct6': (0, (('deviceId', 'c_uint8'), ('localityDomainId', 'c_uint8'))),
    'anon_union2': (1, (('id', 'c_int32'), ('localized', 'anon_struct6'))),
    'cudaMemLocation': (0, (('type', 'c_uint32'), ('_anonymous1', 'anon_union2'))),
    'cudaMemAccessDesc': (0, (('location', 'cudaMemLocation'), ('flags', 'c_uint32'))),
    'cudaMemPoolProps': (0, (('allocType', 'c_uint32'), ('handleTypes', 'c_uint32'), ('location', 'cudaMemLocation'), ('win32SecurityAttributes', 'c_uint64'), ('maxSize', 'c_uint64'), ('usage', 'c_uint16'), ('reserved', ('c_uint8', 53)), ('reserved1', 'c_uint8'))),
    'cudaMemPoolPtrExportData': (0, (('reserved', ('c_uint8', 64)),)),
    'cudaMemAllocNodeParams': (0, (('poolProps', 'cudaMemPoolProps'), ('accessDescs', 'c_uint64'), ('accessDescCount', 'c_uint64'), ('bytesize', 'c_uint64'), ('dptr', 'c_uint64'))),
    'cudaMemAllocNodeParamsV2': (0, (('poolProps', 'cudaMemPoolProps'), ('accessDescs', 'c_uint64'), ('accessDescCount', 'c_uint64'), ('bytesize', 'c_uint64'), ('dptr', 'c_uint64'))),
    'cudaMemFreeNodeParams': (0, (('dptr', 'c_uint64'),)),
    'cudaMemcpyAttributes': (0, (('srcAccessOrder', 'c_uint32'), ('srcLocHint', 'cudaMemLocation'), ('dstLocHint', 'cudaMemLocation'), ('flags', 'c_uint32'))),
    'cudaOffset3D': (0, (('x', 'c_uint64'), ('y', 'c_uint64'), ('z', 'c_uint64'))),
    'anon_struct7': (0, (('ptr', 'c_uint64'), ('rowLength', 'c_uint64'), ('layerHeight', 'c_uint64'), ('locHint', 'cudaMemLocation'))),
    'anon_struct8': (0, (('array', 'c_uint64'), ('offset', 'cudaOffset3D'))),
    'anon_union3': (1, (('ptr', 'anon_struct7'), ('array', 'anon_struct8'))),
    'cudaMemcpy3DOperand': (0, (('type', 'c_uint32'), ('op', 'anon_union3'))),
    'cudaMemcpy3DBatchOp': (0, (('src', 'cudaMemcpy3DOperand'), ('dst', 'cudaMemcpy3DOperand'), ('extent', 'cudaExtent'), ('srcAccessOrder', 'c_uint32'), ('flags', 'c_uint32'))),
    'CUuuid_st': (0, (('bytes', ('c_char', 16)),)),
    'cudaDeviceProp': (0, (('name', ('c_char', 256)), ('uuid', 'CUuuid_st'), ('luid', ('c_char', 8)), ('luidDeviceNodeMask', 'c_uint32'), ('totalGlobalMem', 'c_uint64'), ('sharedMemPerBlock', 'c_uint64'), ('regsPerBlock', 'c_int32'), ('warpSize', 'c_int32'), ('memPitch', 'c_uint64'), ('maxThreadsPerBlock', 'c_int32'), ('maxThreadsDim', ('c_int32', 3)), ('maxGridSize', ('c_int32', 3)), ('totalConstMem', 'c_uint64'), ('major', 'c_int32'), ('minor', 'c_int32'), ('textureAlignment', 'c_uint64'), ('texturePitchAlignment', 'c_uint64'), ('multiProcessorCount', 'c_int32'), ('integrated', 'c_int32'), ('canMapHostMemory', 'c_int32'), ('maxTexture1D', 'c_int32'), ('maxTexture1DMipmap', 'c_int32'), ('maxTexture2D', ('c_int32', 2)), ('maxTexture2DMipmap', ('c_int32', 2)), ('maxTexture2DLinear', ('c_int32', 3)), ('maxTexture2DGather', ('c_int32', 2)), ('maxTexture3D', ('c_int32', 3)), ('maxTexture3DAlt', ('c_int32', 3)), ('maxTextureCubemap', 'c_int32'), ('maxTexture1DLayered', ('c_int32', 2)), ('maxTexture2DLayered', ('c_int32', 3)), ('maxTextureCubemapLayered', ('c_int32', 2)), ('maxSurface1D', 'c_int32'), ('maxSurface2D', ('c_int32', 2)), ('maxSurface3D', ('c_int32', 3)), ('maxSurface1DLayered', ('c_int32', 2)), ('maxSurface2DLayered', ('c_int32', 3)), ('maxSurfaceCubemap', 'c_int32'), ('maxSurfaceCubemapLayered', ('c_int32', 2)), ('surfaceAlignment', 'c_uint64'), ('concurrentKernels', 'c_int32'), ('ECCEnabled', 'c_int32'), ('pciBusID', 'c_int32'), ('pciDeviceID', 'c_int32'), ('pciDomainID', 'c_int32'), ('tccDriver', 'c_int32'), ('asyncEngineCount', 'c_int32'), ('unifiedAddressing', 'c_int32'), ('memoryBusWidth', 'c_int32'), ('l2CacheSize', 'c_int32'), ('persistingL2CacheMaxSize', 'c_int32'), ('maxThreadsPerMultiProcessor', 'c_int32'), ('streamPrioritiesSupported', 'c_int32'), ('globalL1CacheSupported', 'c_int32'), ('localL1CacheSupported', 'c_int32'), ('sharedMemPerMultiprocessor', 'c_uint64'), ('regsPerMultiprocessor', 'c_int32'), ('managedMemory', 'c_int32'), ('isMultiGpuBoard', 'c_int32'), ('multiGpuBoardGroupID', 'c_int32'), ('hostNativeAtomicSupported', 'c_int32'), ('pageableMemoryAccess', 'c_int32'), ('concurrentManagedAccess', 'c_int32'), ('computePreemptionSupported', 'c_int32'), ('canUseHostPointerForRegisteredMem', 'c_int32'), ('cooperativeLaunch', 'c_int32'), ('sharedMemPerBlockOptin', 'c_uint64'), ('pageableMemoryAccessUsesHostPageTables', 'c_int32'), ('directManagedMemAccessFromHost', 'c_int32'), ('maxBlocksPerMultiProcessor', 'c_int32'), ('accessPolicyMaxWindowSize', 'c_int32'), ('reservedSharedMemPerBlock', 'c_uint64'), ('hostRegisterSupported', 'c_int32'), ('sparseCudaArraySupported', 'c_int32'), ('hostRegisterReadOnlySupported', 'c_int32'), ('timelineSemaphoreInteropSupported', 'c_int32'), ('memoryPoolsSupported', 'c_int32'), ('gpuDirectRDMASupported', 'c_int32'), ('gpuDirectRDMAFlushWritesOptions', 'c_uint32'), ('gpuDirectRDMAWritesOrdering', 'c_int32'), ('memoryPoolSupportedHandleTypes', 'c_uint32'), ('deferredMappingCudaArraySupported', 'c_int32'), ('ipcEventSupported', 'c_int32'), ('clusterLaunch', 'c_int32'), ('unifiedFunctionPointers', 'c_int32'), ('deviceNumaConfig', 'c_int32'), ('deviceNumaId', 'c_int32'), ('mpsEnabled', 'c_int32'), ('hostNumaId', 'c_int32'), ('gpuPciDeviceID', 'c_uint32'), ('gpuPciSubsystemID', 'c_uint32'), ('hostNumaMultinodeIpcSupported', 'c_int32'), ('reserved', ('c_int32', 56)))),
    'cudaIpcEventHandle_st': (0, (('reserved', ('c_char', 64)),)),
    'cudaIpcMemHandle_st': (0, (('reserved', ('c_char', 64)),)),
    'cudaMemFabricHandle_st': (0, (('reserved', ('c_char', 64)),)),
    'anon_struct9': (0, (('handle', 'c_uint64'), ('name', 'c_uint64'))),
    'anon_union4': (1, (('fd', 'c_int32'), ('win32', 'anon_struct9'), ('nvSciBufObject', 'c_uint64'))),
    'cudaExternalMemoryHandleDesc': (0, (('type', 'c_uint32'), ('handle', 'anon_union4'), ('size', 'c_uint64'), ('flags', 'c_uint32'), ('reserved', ('c_uint32', 16)))),
    'cudaExternalMemoryBufferDesc': (0, (('offset', 'c_uint64'), ('size', 'c_uint64'), ('flags', 'c_uint32'), ('reserved', ('c_uint32', 16)))),
    'cudaExternalMemoryMipmappedArrayDesc': (0, (('offset', 'c_uint64'), ('formatDesc', 'cudaChannelFormatDesc'), ('extent', 'cudaExtent'), ('flags', 'c_uint32'), ('numLevels', 'c_uint32'), ('reserved', ('c_uint32', 16)))),
    'anon_struct10': (0, (('handle', 'c_uint64'), ('name', 'c_uint64'))),
    'anon_union5': (1, (('fd', 'c_int32'), ('win32', 'anon_struct10'), ('nvSciSyncObj', 'c_uint64'))),
    'cudaExternalSemaphoreHandleDesc': (0, (('type', 'c_uint32'), ('handle', 'anon_union5'), ('flags', 'c_uint32'), ('reserved', ('c_uint32', 16)))),
    'anon_struct11': (0, (('value', 'c_uint64'),)),
    'anon_union6': (1, (('fence', 'c_uint64'), ('reserved', 'c_uint64'))),
    'anon_struct12': (0, (('key', 'c_uint64'),)),
    'anon_struct13': (0, (('fence', 'anon_struct11'), ('nvSciSync', 'anon_union6'), ('keyedMutex', 'anon_struct12'), ('reserved', ('c_uint32', 12)))),
    'cudaExternalSemaphoreSignalParams': (0, (('params', 'anon_struct13'), ('flags', 'c_uint32'), ('reserved', ('c_uint32', 16)))),
    'anon_struct14': (0, (('value', 'c_uint64'),)),
    'anon_union7': (1, (('fence', 'c_uint64'), ('reserved', 'c_uint64'))),
    'anon_struct15': (0, (('key', 'c_uint64'), ('timeoutMs', 'c_uint32'))),
    'anon_struct16': (0, (('fence', 'anon_struct14'), ('nvSciSync', 'anon_union7'), ('keyedMutex', 'anon_struct15'), ('reserved', ('c_uint32', 10)))),
    'cudaExternalSemaphoreWaitParams': (0, (('params', 'anon_struct16'), ('flags', 'c_uint32'), ('reserved', ('c_uint32', 16)))),
    'cudaDevSmResource': (0, (('smCount', 'c_uint32'), ('minSmPartitionSize', 'c_uint32'), ('smCoscheduledAlignment', 'c_uint32'), ('flags', 'c_uint32'), ('localityDomainId', 'c_uint32'))),
    'cudaDevWorkqueueConfigResource': (0, (('device', 'c_int32'), ('wqConcurrencyLimit', 'c_uint32'), ('sharingScope', 'c_uint32'))),
    'cudaDevWorkqueueResource': (0, (('reserved', ('c_uint8', 40)),)),
    'cudaDevSmResourceGroupParams_st': (0, (('smCount', 'c_uint32'), ('coscheduledSmCount', 'c_uint32'), ('preferredCoscheduledSmCount', 'c_uint32'), ('flags', 'c_uint32'), ('localityDomainId', 'c_uint32'), ('reserved', ('c_uint32', 11)))),
    'anon_union8': (1, (('sm', 'cudaDevSmResource'), ('wqConfig', 'cudaDevWorkqueueConfigResource'), ('wq', 'cudaDevWorkqueueResource'), ('_oversize', ('c_uint8', 40)))),
    'cudaDevResource_st': (0, (('type', 'c_uint32'), ('_internal_padding', ('c_uint8', 92)), ('_anonymous2', 'anon_union8'), ('nextResource', 'c_uint64'))),
    'cudalibraryHostUniversalFunctionAndDataTable': (0, (('functionTable', 'c_uint64'), ('functionWindowSize', 'c_uint64'), ('dataTable', 'c_uint64'), ('dataWindowSize', 'c_uint64'))),
    'cudaKernelNodeParams': (0, (('func', 'c_uint64'), ('gridDim', 'dim3'), ('blockDim', 'dim3'), ('sharedMemBytes', 'c_uint32'), ('kernelParams', 'c_uint64'), ('extra', 'c_uint64'))),
    'anon_union9': (1, (('func', 'c_uint64'), ('kern', 'c_uint64'), ('cuFunc', 'c_uint64'))),
    'cudaKernelNodeParamsV2': (0, (('_anonymous0', 'anon_union9'), ('gridDim', 'dim3'), ('blockDim', 'dim3'), ('sharedMemBytes', 'c_uint32'), ('kernelParams', 'c_uint64'), ('extra', 'c_uint64'), ('ctx', 'c_uint64'), ('functionType', 'c_uint32'))),
    'cudaExternalSemaphoreSignalNodeParams': (0, (('extSemArray', 'c_uint64'), ('paramsArray', 'c_uint64'), ('numExtSems', 'c_uint32'))),
    'cudaExternalSemaphoreSignalNodeParamsV2': (0, (('extSemArray', 'c_uint64'), ('paramsArray', 'c_uint64'), ('numExtSems', 'c_uint32'), ('ctx', 'c_uint64'))),
    'cudaExternalSemaphoreWaitNodeParams': (0, (('extSemArray', 'c_uint64'), ('paramsArray', 'c_uint64'), ('numExtSems', 'c_uint32'))),
    'cudaExternalSemaphoreWaitNodeParamsV2': (0, (('extSemArray', 'c_uint64'), ('paramsArray', 'c_uint64'), ('numExtSems', 'c_uint32'), ('ctx', 'c_uint64'))),
    'cudaConditionalNodeParams': (0, (('handle', 'c_uint64'), ('type', 'c_uint32'), ('size', 'c_uint32'), ('phGraph_out', 'c_uint64'), ('ctx', 'c_uint64'))),
    'cudaMemcpyBatchNodeParams': (0, (('count', 'c_uint64'), ('dsts', 'c_uint64'), ('srcs', 'c_uint64'), ('sizes', 'c_uint64'), ('attrs', 'c_uint64'), ('attrsIdxs', 'c_uint64'), ('numAttrs', 'c_uint64'), ('ctx', 'c_uint64'))),
    'cudaChildGraphNodeParams': (0, (('graph', 'c_uint64'), ('ownership', 'c_int32'))),
    'cudaEventRecordNodeParams': (0, (('event', 'c_uint64'), ('ctx', 'c_uint64'))),
    'cudaEventWaitNodeParams': (0, (('event', 'c_uint64'),)),
    'anon_union10': (1, (('reserved1', ('c_int64', 29)), ('kernel', 'cudaKernelNodeParamsV2'), ('memcpy', 'cudaMemcpyNodeParams'), ('memset', 'cudaMemsetParamsV2'), ('host', 'cudaHostNodeParamsV2'), ('graph', 'cudaChildGraphNodeParams'), ('eventWait', 'cudaEventWaitNodeParams'), ('eventRecord', 'cudaEventRecordNodeParams'), ('extSemSignal', 'cudaExternalSemaphoreSignalNodeParamsV2'), ('extSemWait', 'cudaExternalSemaphoreWaitNodeParamsV2'), ('alloc', 'cudaMemAllocNodeParamsV2'), ('free', 'cudaMemFreeNodeParams'), ('conditional', 'cudaConditionalNodeParams'), ('memcpyBatch', 'cudaMemcpyBatchNodeParams'))),
    'cudaGraphNodeParams': (0, (('type', 'c_uint32'), ('reserved0', ('c_int32', 3)), ('_anonymous2', 'anon_union10'), ('reserved2', 'c_int64'))),
    'cudaGraphEdgeData_st': (0, (('from_port', 'c_uint8'), ('to_port', 'c_uint8'), ('type', 'c_uint8'), ('reserved', ('c_uint8', 5)))),
    'cudaGraphInstantiateParams_st': (0, (('flags', 'c_uint64'), ('uploadStream', 'c_uint64'), ('errNode_out', 'c_uint64'), ('result_out', 'c_uint32'))),
    'cudaGraphExecUpdateResultInfo_st': (0, (('result', 'c_uint32'), ('errorNode', 'c_uint64'), ('errorFromNode', 'c_uint64'))),
    'anon_struct17': (0, (('pValue', 'c_uint64'), ('offset', 'c_uint64'), ('size', 'c_uint64'))),
    'anon_union11': (1, (('gridDim', 'dim3'), ('param', 'anon_struct17'), ('isEnabled', 'c_uint32'))),
    'cudaGraphKernelNodeUpdate': (0, (('node', 'c_uint64'), ('field', 'c_uint32'), ('updateData', 'anon_union11'))),
    'cudaLaunchMemSyncDomainMap_st': (0, (('default_', 'c_uint8'), ('remote', 'c_uint8'))),
    'anon_struct18': (0, (('x', 'c_uint32'), ('y', 'c_uint32'), ('z', 'c_uint32'))),
    'anon_struct19': (0, (('event', 'c_uint64'), ('flags', 'c_int32'), ('triggerAtBlockStart', 'c_int32'))),
    'anon_struct20': (0, (('x', 'c_uint32'), ('y', 'c_uint32'), ('z', 'c_uint32'))),
    'anon_struct21': (0, (('event', 'c_uint64'), ('flags', 'c_int32'))),
    'anon_struct22': (0, (('deviceUpdatable', 'c_int32'), ('devNode', 'c_uint64'))),
    'cudaLaunchAttributeValue': (1, (('pad', ('c_char', 64)), ('accessPolicyWindow', 'cudaAccessPolicyWindow'), ('cooperative', 'c_int32'), ('syncPolicy', 'c_uint32'), ('clusterDim', 'anon_struct18'), ('clusterSchedulingPolicyPreference', 'c_uint32'), ('programmaticStreamSerializationAllowed', 'c_int32'), ('programmaticEvent', 'anon_struct19'), ('priority', 'c_int32'), ('memSyncDomainMap', 'cudaLaunchMemSyncDomainMap_st'), ('memSyncDomain', 'c_uint32'), ('preferredClusterDim', 'anon_struct20'), ('launchCompletionEvent', 'anon_struct21'), ('deviceUpdatableKernelNode', 'anon_struct22'), ('sharedMemCarveout', 'c_uint32'), ('nvlinkUtilCentricScheduling', 'c_uint32'), ('portableClusterSizeMode', 'c_uint32'), ('sharedMemoryMode', 'c_uint32'))),
    'cudaLaunchAttribute_st': (0, (('id', 'c_uint32'), ('pad', ('c_char', 4)), ('val', 'cudaLaunchAttributeValue'))),
    'cudaLaunchConfig_st': (0, (('gridDim', 'dim3'), ('blockDim', 'dim3'), ('dynamicSmemBytes', 'c_uint64'), ('stream', 'c_uint64'), ('attrs', 'c_uint64'), ('numAttrs', 'c_uint32'))),
    'anon_struct23': (0, (('bytesOverBudget', 'c_uint64'),)),
    'anon_union12': (1, (('overBudget', 'anon_struct23'),)),
    'cudaAsyncNotificationInfo': (0, (('type', 'c_uint32'), ('info', 'anon_union12'))),
    'cudaTextureDesc': (0, (('addressMode', ('c_uint32', 3)), ('filterMode', 'c_uint32'), ('readMode', 'c_uint32'), ('sRGB', 'c_int32'), ('borderColor', ('c_float', 4)), ('normalizedCoords', 'c_int32'), ('maxAnisotropy', 'c_uint32'), ('mipmapFilterMode', 'c_uint32'), ('mipmapLevelBias', 'c_float'), ('minMipmapLevelClamp', 'c_float'), ('maxMipmapLevelClamp', 'c_float'), ('disableTrilinearOptimization', 'c_int32'), ('seamlessCubemap', 'c_int32'))),
    'cudaGraphRecaptureCallbackData': (0, (('callbackFunc', 'c_uint64'), ('userData', 'c_uint64'))),
    'cudaEglPlaneDesc_st': (0, (('width', 'c_uint32'), ('height', 'c_uint32'), ('depth', 'c_uint32'), ('pitch', 'c_uint32'), ('numChannels', 'c_uint32'), ('channelDesc', 'cudaChannelFormatDesc'), ('reserved', ('c_uint32', 4)))),
    'anon_union13': (1, (('pArray', ('c_uint64', 3)), ('pPitch', ('cudaPitchedPtr', 3)))),
    'cudaEglFrame_st': (0, (('frame', 'anon_union13'), ('planeDesc', ('cudaEglPlaneDesc_st', 3)), ('planeCount', 'c_uint32'), ('frameType', 'c_uint32'), ('eglColorFormat', 'c_uint32'))),
}
ALIASES = {
    'CUuuid': 'CUuuid_st',
    'cudaUUID_t': 'CUuuid_st',
    'cudaIpcEventHandle_t': 'cudaIpcEventHandle_st',
    'cudaIpcMemHandle_t': 'cudaIpcMemHandle_st',
    'cudaMemFabricHandle_t': 'cudaMemFabricHandle_st',
    'cudaDevSmResourceGroupParams': 'cudaDevSmResourceGroupParams_st',
    'cudaDevResource': 'cudaDevResource_st',
    'cudaGraphEdgeData': 'cudaGraphEdgeData_st',
    'cudaGraphInstantiateParams': 'cudaGraphInstantiateParams_st',
    'cudaGraphExecUpdateResultInfo': 'cudaGraphExecUpdateResultInfo_st',
    'cudaLaunchMemSyncDomainMap': 'cudaLaunchMemSyncDomainMap_st',
    'cudaLaunchAttribute': 'cudaLaunchAttribute_st',
    'cudaLaunchConfig_t': 'cudaLaunchConfig_st',
    'cudaAsyncNotificationInfo_t': 'cudaAsyncNotificationInfo',
    'cudaEglPlaneDesc': 'cudaEglPlaneDesc_st',
    'cudaEglFrame': 'cudaEglFrame_st',
    'cudaStreamAttrValue': 'cudaLaunchAttributeValue',
    'cudaKernelNodeAttrValue': 'cudaLaunchAttributeValue',
}


def __getattr__(name):
    """Make the class of a struct or union at its first use."""
    target = ALIASES.get(name, name)
    if target not in STRUCTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if target != name:
        made = globals().get(target) or __getattr__(target)
    else:
        union, fields = STRUCTS[name]
        made = type(ctypes.Structure)(name, (ctypes.Structure,), {}) if not union else type(ctypes.Union)(
            name, (ctypes.Union,), {}
        )
        made._anonymous_ = [field[0] for field in fields if field[0].startswith("_anonymous")]
        made._fields_ = [(field[0], _ctype(field[1]), *field[2:]) for field in fields]
    globals()[name] = made
    return made


def _ctype(code):
    if isinstance(code, tuple):
        return _ctype(code[0]) * code[1]
    return getattr(ctypes, code, None) or globals().get(code) or __getattr__(code)

STATUSES = {  # number: name, text
    0: ("cudaSuccess", "no error"),
    1: ("cudaErrorInvalidValue", "invalid argument"),
    2: ("cudaErrorMemoryAllocation", "out of memory"),
    3: ("cudaErrorInitializationError", "initialization error"),
    4: ("cudaErrorCudartUnloading", "driver shutting down"),
    5: ("cudaErrorProfilerDisabled", "profiler disabled"),
    6: ("cudaErrorProfilerNotInitialized", "profiler not initialized"),
    7: ("cudaErrorProfilerAlreadyStarted", "profiler already started"),
    8: ("cudaErrorProfilerAlreadyStopped", "profiler already stopped"),
    9: ("cudaErrorInvalidConfiguration", "invalid configuration argument"),
    10: ("cudaErrorVersionTranslation", "version translation"),
    12: ("cudaErrorInvalidPitchValue", "invalid pitch argument"),
    13: ("cudaErrorInvalidSymbol", "invalid device symbol"),
    16: ("cudaErrorInvalidHostPointer", "invalid host pointer"),
    17: ("cudaErrorInvalidDevicePointer", "invalid device pointer"),
    18: ("cudaErrorInvalidTexture", "invalid texture"),
    19: ("cudaErrorInvalidTextureBinding", "invalid texture binding"),
    20: ("cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"),
    21: ("cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    22: ("cudaErrorAddressOfConstant", "address of constant"),
    23: ("cudaErrorTextureFetchFailed", "texture fetch failed"),
    24: ("cudaErrorTextureNotBound", "texture not bound"),
    25: ("cudaErrorSynchronizationError", "synchronization error"),
    26: ("cudaErrorInvalidFilterSetting", "invalid filter setting"),
    27: ("cudaErrorInvalidNormSetting", "invalid norm setting"),
    28: ("cudaErrorMixedDeviceExecution", "mixed device execution"),
    31: ("cudaErrorNotYetImplemented", "not yet implemented"),
    32: ("cudaErrorMemoryValueTooLarge", "memory value too large"),
    34: ("cudaErrorStubLibrary", "CUDA driver is a stub library"),
    35: ("cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"),
    36: ("cudaErrorCallRequiresNewerDriver", "call requires newer driver"),
    37: ("cudaErrorInvalidSurface", "invalid surface"),
    43: ("cudaErrorDuplicateVariableName", "duplicate variable name"),
    44: ("cudaErrorDuplicateTextureName", "duplicate texture name"),
    45: ("cudaErrorDuplicateSurfaceName", "duplicate surface name"),
    46: ("cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"),
    49: ("cudaErrorIncompatibleDriverContext", "incompatible driver context"),
    52: ("cudaErrorMissingConfiguration", "missing configuration"),
    53: ("cudaErrorPriorLaunchFailure", "prior launch failure"),
    65: ("cudaErrorLaunchMaxDepthExceeded", "launch max depth exceeded"),
    66: ("cudaErrorLaunchFileScopedTex", "launch file scoped tex"),
    67: ("cudaErrorLaunchFileScopedSurf", "launch file scoped surf"),
    68: ("cudaErrorSyncDepthExceeded", "sync depth exceeded"),
    69: ("cudaErrorLaunchPendingCountExceeded", "launch pending count exceeded"),
    98: ("cudaErrorInvalidDeviceFunction", "invalid device function"),
    100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    101: ("cudaErrorInvalidDevice", "invalid device ordinal"),
    102: ("cudaErrorDeviceNotLicensed", "device not licensed"),
    103: ("cudaErrorSoftwareValidityNotEstablished", "software validity not established"),
    127: ("cudaErrorStartupFailure", "startup failure"),
    200: ("cudaErrorInvalidKernelImage", "device kernel image is invalid"),
    201: ("cudaErrorDeviceUninitialized", "invalid device context"),
    205: ("cudaErrorMapBufferObjectFailed", "map buffer object failed"),
    206: ("cudaErrorUnmapBufferObjectFailed", "unmap buffer object failed"),
    207: ("cudaErrorArrayIsMapped", "array is mapped"),
    208: ("cudaErrorAlreadyMapped", "resource already mapped"),
    209: ("cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"),
    210: ("cudaErrorAlreadyAcquired", "already acquired"),
    211: ("cudaErrorNotMapped", "resource not mapped"),
    212: ("cudaErrorNotMappedAsArray", "resource not mapped as array"),
    213: ("cudaErrorNotMappedAsPointer", "resource not mapped as pointer"),
    214: ("cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"),
    215: ("cudaErrorUnsupportedLimit", "limit is not supported on this architecture"),
    216: ("cudaErrorDeviceAlreadyInUse", "device already in use"),
    217: ("cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"),
    218: ("cudaErrorInvalidPtx", "a PTX JIT compilation failed"),
    219: ("cudaErrorInvalidGraphicsContext", "invalid graphics context"),
    220: ("cudaErrorNvlinkUncorrectable", "nvlink uncorrectable"),
    221: ("cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"),
    222: ("cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."),
    223: ("cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled"),
    224: ("cudaErrorUnsupportedExecAffinity", "unsupported exec affinity"),
    225: ("cudaErrorUnsupportedDevSideSync", "unsupported dev side sync"),
    226: ("cudaErrorContained", "contained"),
    227: ("cudaErrorInsufficientLoaderVersion", "insufficient loader version"),
    300: ("cudaErrorInvalidSource", "invalid source"),
    301: ("cudaErrorFileNotFound", "file not found"),
    302: ("cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"),
    303: ("cudaErrorSharedObjectInitFailed", "shared object initialization failed"),
    304: ("cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"),
    400: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
    401: ("cudaErrorIllegalState", "illegal state"),
    402: ("cudaErrorLossyQuery", "lossy query"),
    500: ("cudaErrorSymbolNotFound", "named symbol not found"),
    600: ("cudaErrorNotReady", "device not ready"),
    700: ("cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    701: ("cudaErrorLaunchOutOfResources", "too many resources requested for launch"),
    702: ("cudaErrorLaunchTimeout", "the launch timed out and was terminated"),
    703: ("cudaErrorLaunchIncompatibleTexturing", "launch incompatible texturing"),
    704: ("cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"),
    705: ("cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"),
    708: ("cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"),
    709: ("cudaErrorContextIsDestroyed", "context is destroyed"),
    710: ("cudaErrorAssert", "device-side assert triggered"),
    711: ("cudaErrorTooManyPeers", "peer mapping resources exhausted"),
    712: ("cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"),
    713: ("cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"),
    714: ("cudaErrorHardwareStackError", "hardware stack error"),
    715: ("cudaErrorIllegalInstruction", "an illegal instruction was encountered"),
    716: ("cudaErrorMisalignedAddress", "misaligned address"),
    717: ("cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"),
    718: ("cudaErrorInvalidPc", "invalid program counter"),
    719: ("cudaErrorLaunchFailure", "unspecified launch failure"),
    720: ("cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"),
    721: ("cudaErrorTensorMemoryLeak", "tensor memory leak"),
    800: ("cudaErrorNotPermitted", "operation not permitted"),
    801: ("cudaErrorNotSupported", "operation not supported"),
    802: ("cudaErrorSystemNotReady", "system not yet initialized"),
    803: ("cudaErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"),
    804: ("cudaErrorCompatNotSupportedOnDevice", "compat not supported on device"),
    805: ("cudaErrorMpsConnectionFailed", "mps connection failed"),
    806: ("cudaErrorMpsRpcFailure", "mps rpc failure"),
    807: ("cudaErrorMpsServerNotReady", "mps server not ready"),
    808: ("cudaErrorMpsMaxClientsReached", "mps max clients reached"),
    809: ("cudaErrorMpsMaxConnectionsReached", "mps max connections reached"),
    810: ("cudaErrorMpsClientTerminated", "mps client terminated"),
    811: ("cudaErrorCdpNotSupported", "cdp not supported"),
    812: ("cudaErrorCdpVersionMismatch", "cdp version mismatch"),
    900: ("cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    901: ("cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"),
    902: ("cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"),
    903: ("cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"),
    904: ("cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"),
    905: ("cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"),
    906: ("cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"),
    907: ("cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"),
    908: ("cudaErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread"),
    909: ("cudaErrorTimeout", "wait operation timed out"),
    910: ("cudaErrorGraphExecUpdateFailure", "graph exec update failure"),
    911: ("cudaErrorExternalDevice", "external device"),
    912: ("cudaErrorInvalidClusterSize", "invalid cluster size"),
    913: ("cudaErrorFunctionNotLoaded", "function not loaded"),
    914: ("cudaErrorInvalidResourceType", "invalid resource type"),
    915: ("cudaErrorInvalidResourceConfiguration", "invalid resource configuration"),
    917: ("cudaErrorStreamDetached", "stream detached"),
    918: ("cudaErrorGraphRecaptureFailure", "graph recapture failure"),
    919: ("cudaErrorFabricNotReady", "fabric not ready"),
    999: ("cudaErrorUnknown", "unknown error"),
    10000: ("cudaErrorApiFailureBase", "api failure base"),
}
