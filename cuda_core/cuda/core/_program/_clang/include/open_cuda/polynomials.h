// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Polynomials of the device math library, made by `python -m ci.device_math`: see there.
#pragma once
#include "exact.h"

__OPEN_CUDA_CONST double __open_cuda_poly_exp(double x) {
    double p = 0x1.61bfa22dd3437p-33; p = fma(p, x, 0x1.1f7f2000f4cf3p-29); p = fma(p, x, 0x1.ae642c8730352p-26);
    p = fma(p, x, 0x1.27e4d41d6f553p-22); p = fma(p, x, 0x1.71de3a5aa6edbp-19); p = fma(p, x, 0x1.a01a01a9e80fep-16);
    p = fma(p, x, 0x1.a01a01a0196aep-13); p = fma(p, x, 0x1.6c16c16c15a6cp-10); p = fma(p, x, 0x1.1111111111111p-7);
    p = fma(p, x, 0x1.5555555555557p-5); p = fma(p, x, 0x1.5555555555555p-3); p = fma(p, x, 0x1.0000000000000p-1);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_log(double x) {
    double p = 0x1.b8f089729505cp-4; p = fma(p, x, 0x1.ac476873b2413p-4); p = fma(p, x, 0x1.e1f81e418e6e3p-4);
    p = fma(p, x, 0x1.1110df430665ap-3); p = fma(p, x, 0x1.3b13b1bdcfb31p-3); p = fma(p, x, 0x1.745d174510f8dp-3);
    p = fma(p, x, 0x1.c71c71c71cffap-3); p = fma(p, x, 0x1.2492492492491p-2); p = fma(p, x, 0x1.999999999999ap-2);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_sin(double x) {
    double p = -0x1.ab17bdcbd33bcp-41; p = fma(p, x, 0x1.61217ee5cca1bp-33); p = fma(p, x, -0x1.ae64541295cdfp-26);
    p = fma(p, x, 0x1.71de3a54607a5p-19); p = fma(p, x, -0x1.a01a01a019937p-13); p = fma(p, x, 0x1.1111111111110p-7);
    p = fma(p, x, -0x1.5555555555555p-3);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_cos(double x) {
    double p = 0x1.ab78473be5989p-45; p = fma(p, x, -0x1.9394b9eb4d56dp-37); p = fma(p, x, 0x1.1eed8deb82809p-29);
    p = fma(p, x, -0x1.27e4fb7712ca2p-22); p = fma(p, x, 0x1.a01a01a019d0ap-16); p = fma(p, x, -0x1.6c16c16c16c16p-10);
    p = fma(p, x, 0x1.5555555555555p-5);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_asin(double x) {
    double p = 0x1.e58a4f279aee7p-6; p = fma(p, x, -0x1.3bd7e353f3827p-6); p = fma(p, x, 0x1.40c91fa8ef037p-6);
    p = fma(p, x, 0x1.8dcdf1195ec26p-9); p = fma(p, x, 0x1.31777489e3e2dp-7); p = fma(p, x, 0x1.3b462d121b93ap-7);
    p = fma(p, x, 0x1.7b02ef007d3f0p-7); p = fma(p, x, 0x1.c990a42b32adap-7); p = fma(p, x, 0x1.1c4efd20ebb9ap-6);
    p = fma(p, x, 0x1.6e8ba121b9d5fp-6); p = fma(p, x, 0x1.f1c71c7a5e151p-6); p = fma(p, x, 0x1.6db6db6dac0eap-5);
    p = fma(p, x, 0x1.3333333333389p-4); p = fma(p, x, 0x1.5555555555555p-3);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_atan(double x) {
    double p = -0x1.c807c7fd7eaccp-7; p = fma(p, x, 0x1.f5ea203922642p-6); p = fma(p, x, -0x1.503b1df321022p-5);
    p = fma(p, x, 0x1.829c9a4614cf9p-5); p = fma(p, x, -0x1.aebd143c55935p-5); p = fma(p, x, 0x1.e1d8e89291b11p-5);
    p = fma(p, x, -0x1.1110ceddb22d4p-4); p = fma(p, x, 0x1.3b13aea970e58p-4); p = fma(p, x, -0x1.745d173561ae0p-4);
    p = fma(p, x, 0x1.c71c71c6ddb13p-4); p = fma(p, x, -0x1.24924924920acp-3); p = fma(p, x, 0x1.9999999999997p-3);
    p = fma(p, x, -0x1.5555555555555p-2);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_sinh(double x) {
    double p = 0x1.b412579180c95p-41; p = fma(p, x, 0x1.611cb2cbad2e8p-33); p = fma(p, x, 0x1.ae6460fbb232dp-26);
    p = fma(p, x, 0x1.71de3a4e14331p-19); p = fma(p, x, 0x1.a01a01a01ee7ap-13); p = fma(p, x, 0x1.11111111110fdp-7);
    p = fma(p, x, 0x1.5555555555555p-3);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_tanh(double x) {
    double p = 0x1.34ade8734556cp-20; p = fma(p, x, -0x1.61debcb123a53p-18); p = fma(p, x, 0x1.00ed96d3e48dep-16);
    p = fma(p, x, -0x1.47baf3ea9709cp-15); p = fma(p, x, 0x1.96478282e7fbdp-14); p = fma(p, x, -0x1.f578c800d2678p-13);
    p = fma(p, x, 0x1.3558000a4cd55p-11); p = fma(p, x, -0x1.7da362c5a51f7p-10); p = fma(p, x, 0x1.d6d3d0d5d8ac9p-9);
    p = fma(p, x, -0x1.226e355e507acp-7); p = fma(p, x, 0x1.664f4882c0bfcp-6); p = fma(p, x, -0x1.ba1ba1ba1ba14p-5);
    p = fma(p, x, 0x1.1111111111111p-3); p = fma(p, x, -0x1.5555555555555p-2);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_erf(double x) {
    double p = 0x1.05fccb83cebcbp-34; p = fma(p, x, -0x1.389c36ba232e8p-30); p = fma(p, x, 0x1.f7b46724de879p-27);
    p = fma(p, x, -0x1.5f1ec38082bc2p-23); p = fma(p, x, 0x1.b9df216542640p-20); p = fma(p, x, -0x1.f4d1e306e0024p-17);
    p = fma(p, x, 0x1.f9a321d4dab9dp-14); p = fma(p, x, -0x1.c02db3dabced8p-11); p = fma(p, x, 0x1.565bcd0dba7cep-8);
    p = fma(p, x, -0x1.b82ce31284df1p-6); p = fma(p, x, 0x1.ce2f21a042b2fp-4); p = fma(p, x, -0x1.812746b0379e6p-2);
    p = fma(p, x, -0x1.3439571c61c46p-63);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_erfcx(double x) {
    double p = 0x1.8265700e103b7p-29; p = fma(p, x, 0x1.473b7d25f59d9p-28); p = fma(p, x, -0x1.4205cbcf72764p-26);
    p = fma(p, x, -0x1.848515371404fp-25); p = fma(p, x, 0x1.08f6c80c02c96p-25); p = fma(p, x, 0x1.82bfebebf4c7bp-23);
    p = fma(p, x, 0x1.23d33c9cef2bep-23); p = fma(p, x, -0x1.29baf923c37a6p-22); p = fma(p, x, -0x1.bfe2aa637c053p-21);
    p = fma(p, x, -0x1.71432c546642cp-21); p = fma(p, x, 0x1.93c04f656356bp-20); p = fma(p, x, 0x1.5e5e26dfec729p-18);
    p = fma(p, x, 0x1.f20250559cbe5p-19); p = fma(p, x, -0x1.c4b64bfec2279p-17); p = fma(p, x, -0x1.318a31a095cb8p-15);
    p = fma(p, x, -0x1.9560c80a9476ap-20); p = fma(p, x, 0x1.3cc08301c7bb8p-13); p = fma(p, x, 0x1.b0c89707ee3b0p-13);
    p = fma(p, x, -0x1.dc692f778f9c7p-12); p = fma(p, x, -0x1.7de521349c6afp-10); p = fma(p, x, 0x1.4d461d1b27783p-10);
    p = fma(p, x, 0x1.1dd2ec9127b3cp-7); p = fma(p, x, -0x1.074234046731dp-7); p = fma(p, x, -0x1.bc2b956199df0p-5);
    p = fma(p, x, 0x1.4ffa1e14e2726p-3); p = fma(p, x, -0x1.5407bebf32431p-3); p = fma(p, x, -0x1.7bf5ec1700631p-4);
    p = fma(p, x, 0x1.46e80e2277953p+0);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_lgamma1(double x) {
    double p = 0x1.b62a48be7bc93p-4; p = fma(p, x, -0x1.c7cd8af698085p-4); p = fma(p, x, 0x1.b2553650380a5p-7);
    p = fma(p, x, -0x1.d1657f1c36694p-7); p = fma(p, x, 0x1.de7030d334117p-5); p = fma(p, x, -0x1.f69565317612cp-5);
    p = fma(p, x, 0x1.bc1411564a553p-5); p = fma(p, x, -0x1.d6702da1a3388p-5); p = fma(p, x, 0x1.00942642bb224p-4);
    p = fma(p, x, -0x1.11abda985af5dp-4); p = fma(p, x, 0x1.248cbe2d528f7p-4); p = fma(p, x, -0x1.3b1314fac5e83p-4);
    p = fma(p, x, 0x1.556b4affc30d8p-4); p = fma(p, x, -0x1.748cac39dc73ep-4); p = fma(p, x, 0x1.9a01e033cf2f3p-4);
    p = fma(p, x, -0x1.c8066cfba4474p-4); p = fma(p, x, 0x1.010b36b6a1189p-3); p = fma(p, x, -0x1.2703a1e448d80p-3);
    p = fma(p, x, 0x1.5b40cb0ffc85cp-3); p = fma(p, x, -0x1.a8b9c17a95d4ap-3); p = fma(p, x, 0x1.151322ac7d8b4p-2);
    p = fma(p, x, -0x1.9a4d55beab347p-2); p = fma(p, x, 0x1.a51a6625307d3p-1); p = fma(p, x, -0x1.2788cfc6fb619p-1);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_lgamma2(double x) {
    double p = 0x1.943c3adb7b4bdp-29; p = fma(p, x, -0x1.485a2cd4d2879p-26); p = fma(p, x, 0x1.e944ccd85cc60p-25);
    p = fma(p, x, -0x1.ec47af2ccb218p-24); p = fma(p, x, 0x1.c9f6e1816bba5p-23); p = fma(p, x, -0x1.d71fa8183ce3bp-22);
    p = fma(p, x, 0x1.fdea03baedd1cp-21); p = fma(p, x, -0x1.1224debb9fd23p-19); p = fma(p, x, 0x1.25cbd29f78fd1p-18);
    p = fma(p, x, -0x1.3cb941fe9f1bdp-17); p = fma(p, x, 0x1.580a2b70f0a2cp-16); p = fma(p, x, -0x1.78de46403f19cp-15);
    p = fma(p, x, 0x1.a127d5beeef48p-14); p = fma(p, x, -0x1.d3fd4ec07f226p-13); p = fma(p, x, 0x1.0b36af1b5038ap-11);
    p = fma(p, x, -0x1.38ac5c23cf249p-10); p = fma(p, x, 0x1.7add6eaf079b9p-9); p = fma(p, x, -0x1.e404fc21a7bd9p-8);
    p = fma(p, x, 0x1.51322ac7d7523p-6); p = fma(p, x, -0x1.13e001a55759fp-4); p = fma(p, x, 0x1.4a34cc4a60fa8p-2);
    p = fma(p, x, 0x1.b0ee6072093cep-2);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_lgamma3(double x) {
    double p = 0x1.355c22bd67a1ap-62; p = fma(p, x, -0x1.bb0919592102fp-60); p = fma(p, x, -0x1.de1bd0f81f31ep-60);
    p = fma(p, x, 0x1.4ea0b3047ec4dp-57); p = fma(p, x, 0x1.20b84222d818ap-53); p = fma(p, x, -0x1.a1c9c6f38bf86p-51);
    p = fma(p, x, 0x1.62838d3539c54p-49); p = fma(p, x, -0x1.05980ba167d34p-46); p = fma(p, x, 0x1.b66cdcc3516f9p-44);
    p = fma(p, x, -0x1.4609b0b4faf71p-41); p = fma(p, x, 0x1.e1e3dd9d9663ap-39); p = fma(p, x, -0x1.6c81eb2d6010fp-36);
    p = fma(p, x, 0x1.16f813026aa9ap-33); p = fma(p, x, -0x1.b00f36af64553p-31); p = fma(p, x, 0x1.53ec378f5590ap-28);
    p = fma(p, x, -0x1.10d4a243e70dcp-25); p = fma(p, x, 0x1.c148563990186p-23); p = fma(p, x, -0x1.7e931c4bd75dcp-20);
    p = fma(p, x, 0x1.5516d7664d7a3p-17); p = fma(p, x, -0x1.44deba1d9d218p-14); p = fma(p, x, 0x1.56c42777486ccp-11);
    p = fma(p, x, -0x1.b0a2a509f1d0dp-8); p = fma(p, x, 0x1.9840d2469dc00p-4); p = fma(p, x, 0x1.9c7099bff7e1fp+0);
    p = fma(p, x, 0x1.fa99a5e94985ap+1);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_stirling(double x) {
    double p = -0x1.55b1c22e41728p-6; p = fma(p, x, 0x1.96dace8739ce1p-8); p = fma(p, x, -0x1.f5ff252aded91p-10);
    p = fma(p, x, 0x1.b94f6d240d6aep-11); p = fma(p, x, -0x1.38137ec0048dfp-11); p = fma(p, x, 0x1.a01a019ee0813p-11);
    p = fma(p, x, -0x1.6c16c16c16b29p-9); p = fma(p, x, 0x1.5555555555555p-4);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_gamma(double x) {
    double p = 0x1.1df83f46b5b39p-25; p = fma(p, x, -0x1.9af8535ca481ep-22); p = fma(p, x, 0x1.205c8642b005fp-19);
    p = fma(p, x, -0x1.0c06bee548290p-17); p = fma(p, x, 0x1.7ce9b2303fbf8p-16); p = fma(p, x, -0x1.c68795f388f7bp-15);
    p = fma(p, x, 0x1.eb99ea88576d1p-14); p = fma(p, x, -0x1.f44bf87234535p-13); p = fma(p, x, 0x1.009542dd6a7dfp-11);
    p = fma(p, x, -0x1.e1f3c1e845234p-11); p = fma(p, x, 0x1.13c1976c6e1c8p-9); p = fma(p, x, -0x1.75e667d42e168p-9);
    p = fma(p, x, 0x1.6d7ee65cfc719p-7); p = fma(p, x, -0x1.17f366627f1c8p-12); p = fma(p, x, 0x1.301fbb0e44387p-4);
    p = fma(p, x, 0x1.4e2399846decap-4); p = fma(p, x, 0x1.a5b978b96be01p-2); p = fma(p, x, 0x1.b0ee6072093d0p-2);
    p = fma(p, x, 0x1.0000000000000p+0);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_erfinv1(double x) {
    double p = -0x1.6985f3c956f2fp-72; p = fma(p, x, 0x1.3f7b98c29f13ep-68); p = fma(p, x, 0x1.c4f7560507804p-68);
    p = fma(p, x, -0x1.c7bb27e48aa0fp-62); p = fma(p, x, 0x1.e907159ff1398p-60); p = fma(p, x, 0x1.d6570988e870ep-57);
    p = fma(p, x, -0x1.6abc29b7ef4f6p-53); p = fma(p, x, 0x1.3dd3ecd8992a2p-52); p = fma(p, x, 0x1.c582e9dd2760bp-48);
    p = fma(p, x, -0x1.dcdd89aa8bebdp-45); p = fma(p, x, 0x1.d0ba3e7cb268bp-48); p = fma(p, x, 0x1.7bdaebf74e0f0p-39);
    p = fma(p, x, -0x1.30dd3dd2221d4p-36); p = fma(p, x, -0x1.146c93be05f8ap-35); p = fma(p, x, 0x1.3155980f6cc78p-30);
    p = fma(p, x, -0x1.77b39ee96cd9fp-28); p = fma(p, x, -0x1.96f8232353874p-26); p = fma(p, x, 0x1.e32b0d3d1cfb9p-22);
    p = fma(p, x, -0x1.d539ca06a18aep-20); p = fma(p, x, -0x1.aab13d1bdc3e4p-17); p = fma(p, x, 0x1.9912c04a3fd7bp-13);
    p = fma(p, x, -0x1.b6666b152bcdcp-11); p = fma(p, x, -0x1.780def1d3f271p-8); p = fma(p, x, 0x1.eedbebdce73e7p-3);
    p = fma(p, x, 0x1.9fa072ed72dbbp+0);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_erfinv2(double x) {
    double p = 0x1.2b46387d76c19p-31; p = fma(p, x, -0x1.982ba6a871a95p-31); p = fma(p, x, -0x1.ad4737cd44ca5p-29);
    p = fma(p, x, 0x1.558811f738f79p-27); p = fma(p, x, -0x1.2e297f3281385p-27); p = fma(p, x, -0x1.9a422495c5ccap-26);
    p = fma(p, x, 0x1.0b511b52f3fa3p-23); p = fma(p, x, -0x1.053e7ed0734acp-22); p = fma(p, x, -0x1.8abea6d27188ap-26);
    p = fma(p, x, 0x1.8d716b3b27c87p-20); p = fma(p, x, -0x1.0b9acee70c49ep-18); p = fma(p, x, 0x1.89a4cb164f023p-19);
    p = fma(p, x, 0x1.a24623521107cp-17); p = fma(p, x, -0x1.8cf481debce74p-15); p = fma(p, x, 0x1.1e6aa477ad254p-14);
    p = fma(p, x, 0x1.932e96f26b30bp-16); p = fma(p, x, -0x1.7448bc306f9fbp-12); p = fma(p, x, 0x1.f3cc5459c6144p-11);
    p = fma(p, x, -0x1.ba9240da9addap-10); p = fma(p, x, 0x1.468eeca94d28dp-9); p = fma(p, x, -0x1.ebadabb9fba61p-9);
    p = fma(p, x, 0x1.5ffcfe5b6cc57p-8); p = fma(p, x, 0x1.0158a6d641d54p+0); p = fma(p, x, 0x1.8abcc380d5a48p+1);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_erfinv3(double x) {
    double p = -0x1.2afbba468e04fp+77; p = fma(p, x, 0x1.66f604154ed67p+74); p = fma(p, x, 0x1.3ebb519ae3a10p+73);
    p = fma(p, x, -0x1.7df382113b9dcp+70); p = fma(p, x, -0x1.442ba6bcb356ap+68); p = fma(p, x, 0x1.841003c03e35ap+65);
    p = fma(p, x, 0x1.8de65d7106e70p+62); p = fma(p, x, -0x1.dba1f43cb9f16p+59); p = fma(p, x, -0x1.4d4e04248d8adp+56);
    p = fma(p, x, 0x1.8e4792ae47d17p+53); p = fma(p, x, 0x1.7f5626a2f69bdp+49); p = fma(p, x, -0x1.c9760a73584d1p+46);
    p = fma(p, x, -0x1.5e3987be386c6p+42); p = fma(p, x, 0x1.a6842d2a99354p+39); p = fma(p, x, 0x1.0d50c56817132p+34);
    p = fma(p, x, -0x1.329ac5752a685p+31); p = fma(p, x, -0x1.5d70a112395bfp+28); p = fma(p, x, 0x1.d04b0fc77bdccp+25);
    p = fma(p, x, -0x1.dea529c6b080ep+22); p = fma(p, x, 0x1.56e0f9d7029dcp+20); p = fma(p, x, -0x1.00c29cb4a58ccp+18);
    p = fma(p, x, 0x1.7f67a73ceeb13p+15); p = fma(p, x, -0x1.26e288687a4f4p+13); p = fma(p, x, 0x1.d81043591ae40p+10);
    p = fma(p, x, -0x1.8d1a1648991a7p+8); p = fma(p, x, 0x1.638385ab340e1p+6); p = fma(p, x, -0x1.5527d23b9937bp+4);
    p = fma(p, x, 0x1.71425a834d0f2p+2); p = fma(p, x, -0x1.1d91d54f69938p+1); p = fma(p, x, 0x1.2679d81c385bfp+0);
    p = fma(p, x, -0x1.7c17cd8a3ae36p-3); p = fma(p, x, -0x1.855c21bcce95bp-3); p = fma(p, x, 0x1.f6b2d76843c4ep-1);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_i0(double x) {
    double p = 0x1.294193ed78270p-20; p = fma(p, x, 0x1.05433b1b32441p-17); p = fma(p, x, 0x1.f72e4735e2d2fp-14);
    p = fma(p, x, 0x1.401b06c070f1fp-10); p = fma(p, x, 0x1.69fbf8016c6a9p-7); p = fma(p, x, 0x1.55fceae2f697ap-4);
    p = fma(p, x, 0x1.0b318351a4203p-1); p = fma(p, x, 0x1.522a3bdea4416p+1); p = fma(p, x, 0x1.522a448d1c138p+3);
    p = fma(p, x, 0x1.02e85c00c634fp+5); p = fma(p, x, 0x1.2345678a3b363p+6); p = fma(p, x, 0x1.c71c71c70ef94p+6);
    p = fma(p, x, 0x1.c71c71c71d358p+6); p = fma(p, x, 0x1.fffffffffff45p+5); p = fma(p, x, 0x1.0000000000004p+4);
    p = fma(p, x, 0x1.0000000000000p+0);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_i1(double x) {
    double p = 0x1.16bc17a036b2fp-21; p = fma(p, x, 0x1.c9644eff0bafdp-19); p = fma(p, x, 0x1.98bd48a59a129p-15);
    p = fma(p, x, 0x1.e031f2b9145b3p-12); p = fma(p, x, 0x1.f1b8681cc90c3p-9); p = fma(p, x, 0x1.ab7c6ebf88594p-6);
    p = fma(p, x, 0x1.2c97acda75e79p-3); p = fma(p, x, 0x1.522a3cc360512p-1); p = fma(p, x, 0x1.27e4fbe6ed8a7p+1);
    p = fma(p, x, 0x1.845c8a03acf9dp+2); p = fma(p, x, 0x1.6c16c16c96198p+3); p = fma(p, x, 0x1.c71c71c7142d2p+3);
    p = fma(p, x, 0x1.55555555559d4p+3); p = fma(p, x, 0x1.fffffffffffc2p+1); p = fma(p, x, 0x1.0000000000001p-1);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_i0_large(double x) {
    double p = 0x1.99840c2b2767bp-9; p = fma(p, x, 0x1.11cf1a9200420p-11); p = fma(p, x, -0x1.8fb64c52c2aabp-8);
    p = fma(p, x, -0x1.0251ae550cb47p-10); p = fma(p, x, 0x1.6d5db466faba9p-8); p = fma(p, x, 0x1.cdb2c58c885a6p-11);
    p = fma(p, x, -0x1.a732f8fd49952p-9); p = fma(p, x, -0x1.11d420282498fp-11); p = fma(p, x, 0x1.66709e2f1de6fp-10);
    p = fma(p, x, 0x1.0c425fe6853eep-12); p = fma(p, x, -0x1.e83a336ee24afp-12); p = fma(p, x, -0x1.0514f4714df86p-13);
    p = fma(p, x, 0x1.131c3faafadddp-13); p = fma(p, x, 0x1.0823baef33ba1p-14); p = fma(p, x, -0x1.80fb51360df0ep-16);
    p = fma(p, x, -0x1.ce28cd4f04d9ep-16); p = fma(p, x, -0x1.cc94ae6dbe8c1p-18); p = fma(p, x, 0x1.03ddcc42e5eaep-18);
    p = fma(p, x, 0x1.72156593b3b92p-18); p = fma(p, x, 0x1.51cc22adc3b2ap-18); p = fma(p, x, 0x1.7d0fbb49edc6ep-18);
    p = fma(p, x, 0x1.3f49acfec4881p-17); p = fma(p, x, 0x1.8e5139f8568cdp-16); p = fma(p, x, 0x1.75e5ee703dcf4p-14);
    p = fma(p, x, 0x1.1daa72b5e70bcp-11); p = fma(p, x, 0x1.b87969bb93bbbp-8); p = fma(p, x, 0x1.9bd428ad249a5p-2);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_i1_large(double x) {
    double p = -0x1.aa74a103bfb65p-9; p = fma(p, x, -0x1.000892f633b63p-11); p = fma(p, x, 0x1.a01c7c9c867a8p-8);
    p = fma(p, x, 0x1.e12f673b0c5edp-11); p = fma(p, x, -0x1.7c46dcef479b1p-8); p = fma(p, x, -0x1.aca9d5e6b6995p-11);
    p = fma(p, x, 0x1.b8919158457f8p-9); p = fma(p, x, 0x1.fd5cd5e830a2fp-12); p = fma(p, x, -0x1.75b393ca37d99p-10);
    p = fma(p, x, -0x1.fa6c2762394ccp-13); p = fma(p, x, 0x1.ff6099e632559p-12); p = fma(p, x, 0x1.fc9369c33a266p-14);
    p = fma(p, x, -0x1.23aa112de2ab6p-13); p = fma(p, x, -0x1.0aec33cc1a974p-14); p = fma(p, x, 0x1.a8b11e3620df4p-16);
    p = fma(p, x, 0x1.e38d304e98d0ap-16); p = fma(p, x, 0x1.cb8b798693a02p-18); p = fma(p, x, -0x1.21d8961e589b5p-18);
    p = fma(p, x, -0x1.917107e7b92bbp-18); p = fma(p, x, -0x1.7277e82f93396p-18); p = fma(p, x, -0x1.ad8dff9af71c0p-18);
    p = fma(p, x, -0x1.7613844c77ab6p-17); p = fma(p, x, -0x1.ec8e0ff0aba3dp-16); p = fma(p, x, -0x1.f89c2304d604dp-14);
    p = fma(p, x, -0x1.cbc54df1edaa5p-11); p = fma(p, x, -0x1.3f796198ee639p-6); p = fma(p, x, 0x1.8ebe783a84030p-2);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_j0(double x) {
    double p = 0x1.52536591c416ep-46; p = fma(p, x, 0x1.f3ee38dfc76cep-43); p = fma(p, x, 0x1.2fd2ba81dc859p-38);
    p = fma(p, x, 0x1.1be028b3c2febp-34); p = fma(p, x, 0x1.d71fbcd7ce9fdp-31); p = fma(p, x, 0x1.5132fc929bbe8p-27);
    p = fma(p, x, 0x1.9c1f3467f0c86p-24); p = fma(p, x, 0x1.a7de63c0264eep-21); p = fma(p, x, 0x1.689319ccfe2eap-18);
    p = fma(p, x, 0x1.f0aff64bfcf72p-16); p = fma(p, x, 0x1.0d97875757d99p-13); p = fma(p, x, 0x1.bd3c2ed8389bdp-12);
    p = fma(p, x, 0x1.0a698d0a0c8d6p-10); p = fma(p, x, 0x1.ae528ba67abb0p-10); p = fma(p, x, 0x1.a1fee49614f6ep-10);
    p = fma(p, x, 0x1.86c89ec148fc4p-11); p = fma(p, x, 0x1.70d77f560145cp-14);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_j1(double x) {
    double p = 0x1.1d74dbece9919p-51; p = fma(p, x, 0x1.cd3511f4cf35ep-48); p = fma(p, x, 0x1.251a8a4543f88p-43);
    p = fma(p, x, 0x1.24b77bf9c8c33p-39); p = fma(p, x, 0x1.04051b748048ep-35); p = fma(p, x, 0x1.90b88f54c1409p-32);
    p = fma(p, x, 0x1.09449a7260367p-28); p = fma(p, x, 0x1.29bdeb0a2d0d8p-25); p = fma(p, x, 0x1.16e73760e2c35p-22);
    p = fma(p, x, 0x1.abca73e59c901p-20); p = fma(p, x, 0x1.0641512a3d2aep-17); p = fma(p, x, 0x1.f27e2f171c977p-16);
    p = fma(p, x, 0x1.606db335dd0bdp-14); p = fma(p, x, 0x1.5dc281b891376p-13); p = fma(p, x, 0x1.bdc39549724dcp-13);
    p = fma(p, x, 0x1.3848b9914d388p-13); p = fma(p, x, 0x1.517f30234baa5p-15);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_y0(double x) {
    double p = -0x1.8fbcddba3c1dbp-56; p = fma(p, x, 0x1.e79d0ff8f94d7p-51); p = fma(p, x, -0x1.07734fb6a0c83p-45);
    p = fma(p, x, 0x1.f77410c0e361ap-41); p = fma(p, x, -0x1.a4972d1893c76p-36); p = fma(p, x, 0x1.30273036cac53p-31);
    p = fma(p, x, -0x1.78648d741f166p-27); p = fma(p, x, 0x1.891c372ff2846p-23); p = fma(p, x, -0x1.54d788e80c96cp-19);
    p = fma(p, x, 0x1.e0dc12bb39f8cp-16); p = fma(p, x, -0x1.0d0c82b4a5e73p-12); p = fma(p, x, 0x1.ce219c667d518p-10);
    p = fma(p, x, -0x1.233f092f82b6ep-7); p = fma(p, x, 0x1.f8c1a2db65c77p-6); p = fma(p, x, -0x1.0e7cd12b74ce4p-4);
    p = fma(p, x, 0x1.21988da339e24p-4); p = fma(p, x, -0x1.0661c7a1f8d30p-6); p = fma(p, x, -0x1.94e3b213c3358p-7);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_y1(double x) {
    double p = 0x1.506265761bfa7p-56; p = fma(p, x, -0x1.812f7c9711655p-51); p = fma(p, x, 0x1.84ff84414183dp-46);
    p = fma(p, x, -0x1.59caaf58b0342p-41); p = fma(p, x, 0x1.0b48439036c71p-36); p = fma(p, x, -0x1.6364db2ccdc72p-32);
    p = fma(p, x, 0x1.9148ef9c67667p-28); p = fma(p, x, -0x1.7af1b98ad811cp-24); p = fma(p, x, 0x1.25c916a8602eep-20);
    p = fma(p, x, -0x1.6d75a06b5f0cap-17); p = fma(p, x, 0x1.621c5563fcde8p-14); p = fma(p, x, -0x1.00e8bb28e97c6p-11);
    p = fma(p, x, 0x1.07e6509a0460fp-9); p = fma(p, x, -0x1.5f83c45ef4b45p-8); p = fma(p, x, 0x1.00bf267ce37c4p-7);
    p = fma(p, x, -0x1.d158011870b67p-9); p = fma(p, x, -0x1.b359c8ad38cffp-9);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_p0(double x) {
    double p = 0x1.a7b9694769842p-35; p = fma(p, x, -0x1.e8d6cbc52ad39p-32); p = fma(p, x, 0x1.07216a04f362ep-29);
    p = fma(p, x, -0x1.6181c68861675p-28); p = fma(p, x, 0x1.50116185c1495p-27); p = fma(p, x, -0x1.eabbdb86cd942p-27);
    p = fma(p, x, 0x1.28862926375d5p-26); p = fma(p, x, -0x1.441dadb5e5f4ap-26); p = fma(p, x, 0x1.673bbd6426a99p-26);
    p = fma(p, x, -0x1.cb6a38829298cp-26); p = fma(p, x, 0x1.7b603141ae2b2p-25); p = fma(p, x, -0x1.b80bde64f3055p-24);
    p = fma(p, x, 0x1.84bcfe6c49cb2p-22); p = fma(p, x, -0x1.251ee7d4af985p-19); p = fma(p, x, 0x1.cb5fffffdc86ap-16);
    p = fma(p, x, -0x1.1ffffffffffe9p-10); p = fma(p, x, 0x1.0000000000000p+0);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_q0(double x) {
    double p = -0x1.04119eee234ffp-31; p = fma(p, x, 0x1.2a94f32d47eecp-28); p = fma(p, x, -0x1.3f5159342c02fp-26);
    p = fma(p, x, 0x1.a8fea01f7553ap-25); p = fma(p, x, -0x1.8e7fc20b07729p-24); p = fma(p, x, 0x1.1cdcbdf1f5705p-23);
    p = fma(p, x, -0x1.4ce5382c32440p-23); p = fma(p, x, 0x1.58d48d25efa4cp-23); p = fma(p, x, -0x1.5fc8fe16157d1p-23);
    p = fma(p, x, 0x1.9046218483014p-23); p = fma(p, x, -0x1.1cc4709bd4f80p-22); p = fma(p, x, 0x1.13a38426d05e7p-21);
    p = fma(p, x, -0x1.86165c435fd3bp-20); p = fma(p, x, 0x1.ba4c589d6e109p-18); p = fma(p, x, -0x1.d11dffff46bf7p-15);
    p = fma(p, x, 0x1.2bfffffffff0dp-10); p = fma(p, x, -0x1.0000000000000p-3);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_p1(double x) {
    double p = -0x1.bd6fe4fb1ba12p-35; p = fma(p, x, 0x1.01023ee259db1p-31); p = fma(p, x, -0x1.14c790fef4a6dp-29);
    p = fma(p, x, 0x1.7407931eb0943p-28); p = fma(p, x, -0x1.61f143a4fbeb2p-27); p = fma(p, x, 0x1.02b93c76430eep-26);
    p = fma(p, x, -0x1.3946774f4cf51p-26); p = fma(p, x, 0x1.578bc46b3ec99p-26); p = fma(p, x, -0x1.7eceb21df8732p-26);
    p = fma(p, x, 0x1.ed930662e2148p-26); p = fma(p, x, -0x1.9c614fd1f71c0p-25); p = fma(p, x, 0x1.e65e495bcfba3p-24);
    p = fma(p, x, -0x1.b891ef8e4d43ep-22); p = fma(p, x, 0x1.5a6a57d29a174p-19); p = fma(p, x, -0x1.274fffffed688p-15);
    p = fma(p, x, 0x1.dffffffffffe8p-10); p = fma(p, x, 0x1.0000000000000p+0);
    return p;
}
__OPEN_CUDA_CONST double __open_cuda_poly_q1(double x) {
    double p = 0x1.10fea9704b4bfp-31; p = fma(p, x, -0x1.397e0e05ef954p-28); p = fma(p, x, 0x1.4f5e007cb285cp-26);
    p = fma(p, x, -0x1.be8d2f950ce3dp-25); p = fma(p, x, 0x1.a2fc4209d4893p-24); p = fma(p, x, -0x1.2bcfb7bc76bf9p-23);
    p = fma(p, x, 0x1.5ef1f2b23986ap-23); p = fma(p, x, -0x1.6c87b17c45e6bp-23); p = fma(p, x, 0x1.7590f8bda8394p-23);
    p = fma(p, x, -0x1.ac06e293718a0p-23); p = fma(p, x, 0x1.3390e3c972daep-22); p = fma(p, x, -0x1.2de4375148acap-21);
    p = fma(p, x, 0x1.b3fae4d9517a4p-20); p = fma(p, x, -0x1.fe581792d83acp-18); p = fma(p, x, 0x1.1c3cffff9f0a1p-14);
    p = fma(p, x, -0x1.a3fffffffff02p-10); p = fma(p, x, 0x1.8000000000000p-2);
    return p;
}
