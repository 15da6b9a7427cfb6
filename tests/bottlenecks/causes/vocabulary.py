"""What frameworks call an operation and its kernel, and sizes that fit a time.

The shapes make a healthy kernel reach about half of the peak of its device, as
well-tuned programs do.
"""

import dataclasses

# Half of the peaks of an H100 and of a TPU v6e: operations and bytes per
# microsecond.
RATES = {
    "gpu": (400e6, 1.9e6),
    "tpu": (450e6, 0.95e6),
    "gpu32": (30e6, 1.9e6),  # 32-bit products without tensor cores
}


@dataclasses.dataclass(frozen=True)
class Op:
    torch: str
    backward: str  # PyTorch's node of the gradient
    tf: str
    hlo: str  # the opcode, and the name of an instruction
    jax: str
    kernel: str
    is_product: bool = False


ELEMENTWISE = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::%s"
    "<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::%s"
    "<c10::BFloat16>, std::array<char*, 3ul>)"
)


def elementwise(functor):
    return ELEMENTWISE % (functor, functor)


OPS = {
    "matmul": Op(
        "aten::mm",
        "MmBackward0",
        "MatMul",
        "dot",
        "dot_general",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroup"
        "size1x1x1_execute_segment_k_off_kernel__5x_cublas",
        True,
    ),
    "sgemm": Op(
        "aten::mm",
        "MmBackward0",
        "MatMul",
        "dot",
        "dot_general",
        "ampere_sgemm_128x128_tn",
        True,
    ),
    "attention": Op(
        "aten::_flash_attention_forward",
        "ScaledDotProductFlashAttentionBackward0",
        "BatchMatMulV2",
        "dot",
        "dot_general",
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128,"
        " 128, 4, false, false, cutlass::bfloat16_t> >("
        "pytorch_flash::Flash_fwd_params)",
        True,
    ),
    "conv": Op(
        "aten::cudnn_convolution",
        "ConvolutionBackward0",
        "Conv2D",
        "convolution",
        "conv_general_dilated",
        "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
        "tilesize128x128x64_cudnn",
        True,
    ),
    "gelu": Op(
        "aten::gelu",
        "GeluBackward0",
        "Erf",
        "fusion",
        "erf",
        elementwise("GeluCUDAKernelImpl"),
    ),
    "relu": Op(
        "aten::relu",
        "ReluBackward0",
        "Relu",
        "fusion",
        "max",
        elementwise("clamp_min_scalar_kernel_impl"),
    ),
    "add": Op(
        "aten::add",
        "AddBackward0",
        "AddV2",
        "fusion",
        "add",
        elementwise("CUDAFunctor_add"),
    ),
    "mul": Op(
        "aten::mul",
        "MulBackward0",
        "Mul",
        "fusion",
        "mul",
        elementwise("BinaryFunctor_MulFunctor"),
    ),
    "norm": Op(
        "aten::native_layer_norm",
        "NativeLayerNormBackward0",
        "FusedBatchNormV3",
        "fusion",
        "reduce_sum",
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel"
        "<c10::BFloat16, float>(int, float, c10::BFloat16 const*)",
    ),
    "gather": Op(
        "aten::index_select",
        "EmbeddingBackward0",
        "GatherV2",
        "gather",
        "gather",
        "void at::native::(anonymous namespace)::indexSelectLargeIndex"
        "<c10::BFloat16, long, unsigned int, 2, 2, -2, true>()",
    ),
    "loss": Op(
        "aten::_log_softmax",
        "LogSoftmaxBackward0",
        "SparseSoftmaxCrossEntropyWithLogits",
        "fusion",
        "log_softmax",
        "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, "
        "c10::BFloat16, float, c10::BFloat16>()",
    ),
    "adam": Op(
        "aten::_fused_adamw_",
        "",
        "ResourceApplyAdam",
        "fusion",
        "sub",
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<"
        "at::native::FusedAdamMathFunctor<float, 4> >()",
    ),
    "cumulative": Op(
        "aten::cumsum",
        "",
        "Cumsum",
        "cumsum",
        "cumsum",
        "void at::native::tensor_kernel_scan_innermost_dim<float, "
        "std::plus<float> >(float*, float const*, unsigned int)",
    ),
    "transpose": Op(
        "aten::contiguous",
        "CloneBackward0",
        "Transpose",
        "transpose",
        "transpose",
        "void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float,"
        " false, true, (cudnnKernelDataType_t)2>()",
    ),
    "copy": Op(
        "aten::copy_",
        "CloneBackward0",
        "Identity",
        "copy",
        "copy",
        elementwise("direct_copy_kernel_cuda"),
    ),
    "all_reduce": Op(
        "nccl:all_reduce",
        "",
        "CollectiveReduceV2",
        "all-reduce",
        "psum",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage"
        "<4096ul>)",
    ),
    "all_gather": Op(
        "nccl:_all_gather_base",
        "",
        "CollectiveGatherV2",
        "all-gather",
        "all_gather",
        "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    ),
}


@dataclasses.dataclass(frozen=True)
class Size:
    """The shapes of a kernel: the inputs, and its work."""

    dims: tuple
    flops: int
    bytes: int


def size_of(kind, micros, rates="gpu"):
    """The shapes with which an operation takes about that long."""
    if kind == "sgemm":
        rates = "gpu32" if rates == "gpu" else rates
    speed, traffic = RATES[rates]
    if OPS[kind].is_product:
        rows = 8192
        side = max(64, round((micros * speed / (2 * rows)) ** 0.5 / 64) * 64)
        return Size(
            ((rows, side), (side, side)),
            2 * rows * side * side,
            2 * (2 * rows * side + side * side),
        )
    columns = max(8, round(micros * traffic / 4 / 8192 / 8) * 8)
    return Size(((8192, columns),), 8192 * columns, 4 * 8192 * columns)
