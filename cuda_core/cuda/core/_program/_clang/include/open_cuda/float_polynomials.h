// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Polynomials of the device math library, made by `python -m ci.device_math`: see there.
#pragma once
#include "exact.h"

__OPEN_CUDA_CONST float __open_cuda_poly_expf(float x) {
    float p = 0x1.a124e3f154d32p-13f; p = fmaf(p, x, 0x1.6d431504c53d3p-10f); p = fmaf(p, x, 0x1.1110e0f726534p-7f);
    p = fmaf(p, x, 0x1.5554e9114ecf9p-5f); p = fmaf(p, x, 0x1.5555555a78232p-3f); p = fmaf(p, x, 0x1.0000000b8f62bp-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_exp2f(float x) {
    float p = 0x1.00a581594758dp-16f; p = fmaf(p, x, 0x1.443fffc90db58p-13f); p = fmaf(p, x, 0x1.5d879ead06a81p-10f);
    p = fmaf(p, x, 0x1.3b2a1b7152befp-7f); p = fmaf(p, x, 0x1.c6b08d883dca0p-5f); p = fmaf(p, x, 0x1.ebfbe045f4d3cp-3f);
    p = fmaf(p, x, 0x1.62e42fefa39efp-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_logf(float x) {
    float p = 0x1.431c59198a03dp-5f; p = fmaf(p, x, -0x1.7c984eb1faa83p-4f); p = fmaf(p, x, 0x1.dfe453ddbbc1ep-4f);
    p = fmaf(p, x, -0x1.0414f370a9dc7p-3f); p = fmaf(p, x, 0x1.244252f12d648p-3f); p = fmaf(p, x, -0x1.5520e7fe814d8p-3f);
    p = fmaf(p, x, 0x1.9999354ff9c55p-3f); p = fmaf(p, x, -0x1.000066d113895p-2f); p = fmaf(p, x, 0x1.555556f76273bp-2f);
    p = fmaf(p, x, -0x1.ffffffbfc1058p-2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_log2f(float x) {
    float p = 0x1.9017f08f32abfp-4f; p = fmaf(p, x, -0x1.5588d9e72b307p-3f); p = fmaf(p, x, 0x1.5d047b1f56db9p-3f);
    p = fmaf(p, x, -0x1.6efb99c168b91p-3f); p = fmaf(p, x, 0x1.a482f1fa66c16p-3f); p = fmaf(p, x, -0x1.ec77446ccb1c7p-3f);
    p = fmaf(p, x, 0x1.277c40b22f1e4p-2f); p = fmaf(p, x, -0x1.715480d355267p-2f); p = fmaf(p, x, 0x1.ec7093880fd63p-2f);
    p = fmaf(p, x, -0x1.7154764bbb31fp-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_log10f(float x) {
    float p = 0x1.e1c2b664e5f8dp-6f; p = fmaf(p, x, -0x1.9b3fa4ac14f12p-5f); p = fmaf(p, x, 0x1.a4424a947bb45p-5f);
    p = fmaf(p, x, -0x1.b9e42ee71cc1bp-5f); p = fmaf(p, x, 0x1.fa58a7802fa91p-5f); p = fmaf(p, x, -0x1.287e775190da3p-4f);
    p = fmaf(p, x, 0x1.63ccc19b0882fp-4f); p = fmaf(p, x, -0x1.bcb7bdf7d7fe6p-4f); p = fmaf(p, x, 0x1.287a700dd1b72p-3f);
    p = fmaf(p, x, -0x1.bcb7b14a0427ap-3f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_atanhf(float x) {
    float p = 0x1.909073abcfbe1p-4f; p = fmaf(p, x, 0x1.c659a2d2790adp-4f); p = fmaf(p, x, 0x1.24931e6beba2cp-3f);
    p = fmaf(p, x, 0x1.9999995100666p-3f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_sinf(float x) {
    float p = 0x1.6dbded5452c31p-19f; p = fmaf(p, x, -0x1.a013a740c35ccp-13f); p = fmaf(p, x, 0x1.11110deef0ae3p-7f);
    p = fmaf(p, x, -0x1.555555545df18p-3f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_cosf(float x) {
    float p = 0x1.9bd88004b00cbp-16f; p = fmaf(p, x, -0x1.6c12d2bbdb37cp-10f); p = fmaf(p, x, 0x1.55555441635f9p-5f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_sinpif(float x) {
    float p = 0x1.4cb73abb81faep-4f; p = fmaf(p, x, -0x1.32ce1d81dd488p-1f); p = fmaf(p, x, 0x1.466bc2b8541c7p+1f);
    p = fmaf(p, x, -0x1.4abbce616c215p+2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_cospif(float x) {
    float p = 0x1.db644d497fc97p-3f; p = fmaf(p, x, -0x1.55cb96d35418fp+0f); p = fmaf(p, x, 0x1.03c1e9f51d914p+2f);
    p = fmaf(p, x, -0x1.3bd3cc989e0efp+2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_asinf(float x) {
    float p = 0x1.14138bacdd9d3p-5f; p = fmaf(p, x, 0x1.18e1f5c480870p-6f); p = fmaf(p, x, 0x1.fd9219f7ffea5p-6f);
    p = fmaf(p, x, 0x1.6d5b8d274efb5p-5f); p = fmaf(p, x, 0x1.3334319295093p-4f); p = fmaf(p, x, 0x1.555554e3e720bp-3f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_atanf(float x) {
    float p = 0x1.86254dc29b80ep-10f; p = fmaf(p, x, -0x1.2b982be32a139p-7f); p = fmaf(p, x, 0x1.aeee33f3fedc0p-6f);
    p = fmaf(p, x, -0x1.910f6b20e608cp-5f); p = fmaf(p, x, 0x1.20053ae712fafp-4f); p = fmaf(p, x, -0x1.6dd86ccc47b9fp-4f);
    p = fmaf(p, x, 0x1.c62cbf1972e21p-4f); p = fmaf(p, x, -0x1.2489502570a39p-3f); p = fmaf(p, x, 0x1.999955898fae3p-3f);
    p = fmaf(p, x, -0x1.55555529f6c1fp-2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_sinhf(float x) {
    float p = 0x1.78a73b0dae1dap-19f; p = fmaf(p, x, 0x1.a008fedbce466p-13f); p = fmaf(p, x, 0x1.11111eb0fd50ep-7f);
    p = fmaf(p, x, 0x1.5555554e84d96p-3f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_tanhf(float x) {
    float p = 0x1.36b4f79b54d3fp-9f; p = fmaf(p, x, -0x1.139303545d583p-7f); p = fmaf(p, x, 0x1.64fa98b46ac2cp-6f);
    p = fmaf(p, x, -0x1.ba0d8fe6a0eadp-5f); p = fmaf(p, x, 0x1.1110f58fd6384p-3f); p = fmaf(p, x, -0x1.55555543c2d02p-2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_erff(float x) {
    float p = 0x1.4a53075c366eep-14f; p = fmaf(p, x, -0x1.a44f50003aac8p-11f); p = fmaf(p, x, 0x1.541248c765ec9p-8f);
    p = fmaf(p, x, -0x1.b7fab5e6f5d56p-6f); p = fmaf(p, x, 0x1.ce2d10ae8576bp-4f); p = fmaf(p, x, -0x1.81273e78d342ap-2f);
    p = fmaf(p, x, -0x1.570b617037602p-30f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_erfcf(float x) {
    float p = 0x1.3d029e11244aep-19f; p = fmaf(p, x, -0x1.16b3af62c0c46p-14f); p = fmaf(p, x, 0x1.c36a9b5c2ee25p-11f);
    p = fmaf(p, x, -0x1.c20333dea888fp-8f); p = fmaf(p, x, 0x1.38427d2a2f757p-5f); p = fmaf(p, x, -0x1.453f38723adbcp-3f);
    p = fmaf(p, x, -0x1.d2b45cf477441p-1f); p = fmaf(p, x, -0x1.a16dd54c01481p+0f); p = fmaf(p, x, 0x1.e44c05df8b398p-12f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_erfcxf(float x) {
    float p = 0x1.7355c9df8e376p-15f; p = fmaf(p, x, -0x1.04b7c0e95364bp-13f); p = fmaf(p, x, -0x1.07143505f3111p-11f);
    p = fmaf(p, x, 0x1.0dd8cb9ae23b4p-12f); p = fmaf(p, x, 0x1.3e40cde82b8a0p-9f); p = fmaf(p, x, 0x1.03d3ab14616f8p-9f);
    p = fmaf(p, x, -0x1.e561e98c2c8d2p-8f); p = fmaf(p, x, -0x1.2821d76ad2e68p-6f); p = fmaf(p, x, 0x1.586a0b39dc6a3p-6f);
    p = fmaf(p, x, 0x1.d3667dc6b6a53p-4f); p = fmaf(p, x, -0x1.e6e302a6dc235p-3f); p = fmaf(p, x, -0x1.1638fb2bd766fp-5f);
    p = fmaf(p, x, 0x1.494daffa2ad68p+0f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_lgamma1f(float x) {
    float p = -0x1.148f4ea28c50bp-3f; p = fmaf(p, x, 0x1.2e87e548cc70cp-3f); p = fmaf(p, x, -0x1.a8c0384d454e5p-4f);
    p = fmaf(p, x, 0x1.e055335a91318p-4f); p = fmaf(p, x, -0x1.2826388817bcdp-3f); p = fmaf(p, x, 0x1.5c7a502a5ddd1p-3f);
    p = fmaf(p, x, -0x1.a8b14d47293f7p-3f); p = fmaf(p, x, 0x1.150e9365291fep-2f); p = fmaf(p, x, -0x1.9a4d5e7665942p-2f);
    p = fmaf(p, x, 0x1.a51a6ad8cdcfbp-1f); p = fmaf(p, x, -0x1.2788cfc6fb619p-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_lgamma2f(float x) {
    float p = 0x1.d5a52e055a9ccp-15f; p = fmaf(p, x, -0x1.f3833613e6165p-13f); p = fmaf(p, x, 0x1.225350973028fp-11f);
    p = fmaf(p, x, -0x1.3adb26893361dp-10f); p = fmaf(p, x, 0x1.79336c591b191p-9f); p = fmaf(p, x, -0x1.e3c8b3708f8b5p-8f);
    p = fmaf(p, x, 0x1.5137d6759422ap-6f); p = fmaf(p, x, -0x1.13e05b67250e9p-4f); p = fmaf(p, x, 0x1.4a34c9849677fp-2f);
    p = fmaf(p, x, 0x1.b0ee60bc3341ap-2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_lgamma3f(float x) {
    float p = 0x1.122c2cd5d20cbp-27f; p = fmaf(p, x, -0x1.b0f6f6f3dcac7p-25f); p = fmaf(p, x, 0x1.94674953fe128p-23f);
    p = fmaf(p, x, -0x1.5c2a07e598553p-20f); p = fmaf(p, x, 0x1.57182d5064b8bp-17f); p = fmaf(p, x, -0x1.4667f51e5e5a1p-14f);
    p = fmaf(p, x, 0x1.56bb002b2a6dfp-11f); p = fmaf(p, x, -0x1.b09ba2d1e978bp-8f); p = fmaf(p, x, 0x1.9840d80be1586p-4f);
    p = fmaf(p, x, 0x1.9c70978a82c1cp+0f); p = fmaf(p, x, 0x1.fa99a5e94985ap+1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_stirlingf(float x) {
    float p = 0x1.856647599ed0ap-11f; p = fmaf(p, x, -0x1.6befbb9edac0ap-9f); p = fmaf(p, x, 0x1.555554410d88cp-4f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_rgammaf(float x) {
    float p = -0x1.1ea1f3bf2a630p-10f; p = fmaf(p, x, 0x1.d0e481efacd9ap-8f); p = fmaf(p, x, -0x1.3bbba9487b43ep-7f);
    p = fmaf(p, x, -0x1.597d4d94513cep-5f); p = fmaf(p, x, 0x1.5512af36c45dcp-3f); p = fmaf(p, x, -0x1.5819617f8b5acp-5f);
    p = fmaf(p, x, -0x1.4fcf40bcdc1bcp-1f); p = fmaf(p, x, 0x1.2788d0d1f8316p-1f); p = fmaf(p, x, 0x1.0000000000000p+0f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_erfinv1f(float x) {
    float p = 0x1.00d79ace31a9fp-31f; p = fmaf(p, x, -0x1.5ecb044728dd1p-26f); p = fmaf(p, x, 0x1.7160ca2725674p-22f);
    p = fmaf(p, x, -0x1.69ec2f33c9c2ap-19f); p = fmaf(p, x, 0x1.b65120705fcd4p-18f); p = fmaf(p, x, 0x1.47006dc735e9dp-15f);
    p = fmaf(p, x, -0x1.f76c9d9228df2p-14f); p = fmaf(p, x, -0x1.32b6478644d19p-9f); p = fmaf(p, x, 0x1.7a7ffa716824dp-7f);
    p = fmaf(p, x, 0x1.db29e139d2f7ep-3f); p = fmaf(p, x, 0x1.c5bf893d966b4p-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_erfinv2f(float x) {
    float p = 0x1.28ba9df6b7164p+6f; p = fmaf(p, x, 0x1.befc46f666140p+1f); p = fmaf(p, x, 0x1.a57f35d7231b7p-1f);
    p = fmaf(p, x, -0x1.9453791aeeb41p+1f); p = fmaf(p, x, 0x1.b337c46506c23p-2f); p = fmaf(p, x, -0x1.a04d0779d647ep-1f);
    p = fmaf(p, x, 0x1.f298a6c292ed1p-2f); p = fmaf(p, x, 0x1.c87759bcff99dp-4f); p = fmaf(p, x, -0x1.8e076ff8f154cp-3f);
    p = fmaf(p, x, 0x1.e97b3c51f259bp-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_i0f(float x) {
    float p = 0x1.5d383bc4c1e51p-6f; p = fmaf(p, x, 0x1.b83220c1e48a2p-5f); p = fmaf(p, x, 0x1.234c94c56c434p-1f);
    p = fmaf(p, x, 0x1.4c3cc00f7d4adp+1f); p = fmaf(p, x, 0x1.531e4c09647c9p+3f); p = fmaf(p, x, 0x1.02ce550ab2805p+5f);
    p = fmaf(p, x, 0x1.23490ba397e17p+6f); p = fmaf(p, x, 0x1.c71bcce4be7eep+6f); p = fmaf(p, x, 0x1.c71c82f3c8de1p+6f);
    p = fmaf(p, x, 0x1.fffffe2793d6dp+5f); p = fmaf(p, x, 0x1.00000013da385p+4f); p = fmaf(p, x, 0x1.fffffffdcb230p-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_i1f(float x) {
    float p = 0x1.e0770f883a07ap-8f; p = fmaf(p, x, 0x1.13a0ec2b9da4fp-6f); p = fmaf(p, x, 0x1.4752353989712p-3f);
    p = fmaf(p, x, 0x1.4c70245695e98p-1f); p = fmaf(p, x, 0x1.28acc2350b458p+1f); p = fmaf(p, x, 0x1.8439c7af2b532p+2f);
    p = fmaf(p, x, 0x1.6c1a82ea5b362p+3f); p = fmaf(p, x, 0x1.c71bf8e510adbp+3f); p = fmaf(p, x, 0x1.55555d1c6eaf7p+3f);
    p = fmaf(p, x, 0x1.ffffff387ec97p+1f); p = fmaf(p, x, 0x1.000000034c843p-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_i0_largef(float x) {
    float p = 0x1.7cec3cff990b9p-17f; p = fmaf(p, x, 0x1.b7f9f5ab393cep-16f); p = fmaf(p, x, 0x1.7532971d7b175p-14f);
    p = fmaf(p, x, 0x1.1d8a473f29bcdp-11f); p = fmaf(p, x, 0x1.b87973a2eb0dbp-8f); p = fmaf(p, x, 0x1.9bd428e69a79ap-2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_i1_largef(float x) {
    float p = -0x1.ba7acf76e0e78p-17f; p = fmaf(p, x, -0x1.0dba9c61d00b3p-15f); p = fmaf(p, x, -0x1.f7d43b990207bp-14f);
    p = fmaf(p, x, -0x1.cba11173ad8e9p-11f); p = fmaf(p, x, -0x1.3f79645c02b45p-6f); p = fmaf(p, x, 0x1.8ebe77f9c908fp-2f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_j0f(float x) {
    float p = 0x1.82e308f4a4dedp-20f; p = fmaf(p, x, 0x1.02c316f2d3c8ep-18f); p = fmaf(p, x, 0x1.07fdad584c502p-15f);
    p = fmaf(p, x, 0x1.0abd18ac366c2p-13f); p = fmaf(p, x, 0x1.bddf855ffd619p-12f); p = fmaf(p, x, 0x1.0a5e7e7a6d053p-10f);
    p = fmaf(p, x, 0x1.ae544244dd8e3p-10f); p = fmaf(p, x, 0x1.a1fec229ae4f0p-10f); p = fmaf(p, x, 0x1.86c8a0d8a8688p-11f);
    p = fmaf(p, x, 0x1.70d77f409472dp-14f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_j1f(float x) {
    float p = 0x1.02cd7729e0d26p-24f; p = fmaf(p, x, 0x1.aeae64a431b8ap-23f); p = fmaf(p, x, 0x1.bf44b2e55648ep-20f);
    p = fmaf(p, x, 0x1.047b82709a481p-17f); p = fmaf(p, x, 0x1.f2e38c689d906p-16f); p = fmaf(p, x, 0x1.6066d7f1073a6p-14f);
    p = fmaf(p, x, 0x1.5dc309a63b4cap-13f); p = fmaf(p, x, 0x1.bdc38a9f5781cp-13f); p = fmaf(p, x, 0x1.3848b9e437b7ap-13f);
    p = fmaf(p, x, 0x1.517f3021a2f29p-15f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_y0f(float x) {
    float p = -0x1.5887dc0545197p-19f; p = fmaf(p, x, 0x1.e8934c6fc7923p-16f); p = fmaf(p, x, -0x1.0d060c459754cp-12f);
    p = fmaf(p, x, 0x1.ce06904f49906p-10f); p = fmaf(p, x, -0x1.233f1ba8dad77p-7f); p = fmaf(p, x, 0x1.f8c23d85506acp-6f);
    p = fmaf(p, x, -0x1.0e7cd0e18b1a6p-4f); p = fmaf(p, x, 0x1.219888cd8659dp-4f); p = fmaf(p, x, -0x1.0661c7a7e2a05p-6f);
    p = fmaf(p, x, -0x1.94e3b14db7e8fp-7f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_y1f(float x) {
    float p = 0x1.29538276a0149p-20f; p = fmaf(p, x, -0x1.742844dbf5d0cp-17f); p = fmaf(p, x, 0x1.6211b2ca5cbdap-14f);
    p = fmaf(p, x, -0x1.00d49a59f769dp-11f); p = fmaf(p, x, 0x1.07e6683f6ccacp-9f); p = fmaf(p, x, -0x1.5f84776b9db51p-8f);
    p = fmaf(p, x, 0x1.00bf260b5d78cp-7f); p = fmaf(p, x, -0x1.d157e63b0f202p-9f); p = fmaf(p, x, -0x1.b359c8ad38cffp-9f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_p0f(float x) {
    float p = 0x1.9c8683c246989p-16f; p = fmaf(p, x, -0x1.1fbcdc7fc0740p-10f); p = fmaf(p, x, 0x1.fffffe266312dp-1f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_q0f(float x) {
    float p = 0x1.340a197cc2745p-18f; p = fmaf(p, x, -0x1.c7d18b06543e7p-15f); p = fmaf(p, x, 0x1.2bf1cf46ce16ep-10f);
    p = fmaf(p, x, -0x1.fffffe3dec451p-4f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_p1f(float x) {
    float p = -0x1.0b74dcf0edf16p-15f; p = fmaf(p, x, 0x1.dfb00351b276ep-10f); p = fmaf(p, x, 0x1.0000011a37b55p+0f);
    return p;
}
__OPEN_CUDA_CONST float __open_cuda_poly_q1f(float x) {
    float p = -0x1.6747fc080daecp-18f; p = fmaf(p, x, 0x1.16fe97c1bad9ap-14f); p = fmaf(p, x, -0x1.a3effae2f9e49p-10f);
    p = fmaf(p, x, 0x1.7fffff80f3208p-2f);
    return p;
}
