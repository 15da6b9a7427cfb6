#include "timeline/account/work_classes.h"

#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::timeline {
namespace {

void ExpectKernels(KernelClass is, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    EXPECT_EQ(KernelClassOf(name), is) << name;
  }
}

void ExpectCalls(HostCall is, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    EXPECT_EQ(HostCallOf(name), is) << name;
  }
}

void ExpectFunctions(HostCall is, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    EXPECT_EQ(HostCallOfFunction(name), is) << name;
  }
}

TEST(KernelClassTest, MatrixProducts) {
  ExpectKernels(
      KernelClass::kMatrixProduct,
      {"aten::mm",
       "aten::bmm",
       "aten::addmm",
       "aten::baddbmm",
       "aten::matmul",
       "aten::linear",
       "aten::mv",
       "aten::dot",
       "aten::_scaled_mm",
       "aten::einsum",
       "MatMul",
       "BatchMatMul",
       "BatchMatMulV2",
       "Einsum",
       "_FusedMatMul",
       "dot",
       "dot_general",
       "dot.12",
       "gemm_fusion_dot.3",
       "ampere_sgemm_128x64_tn",
       "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
       "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4",
       "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_bf16_256x128>",
       "void cutlass::Kernel2<cutlass_80_wmma_tensorop_s161616gemm_bf16>",
       "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
       "void gemv2T_kernel_val<int, float, float, float, 128, 16, 4, 4>",
       "void cublasLt::splitKreduce_kernel<32, 16, int, float, float>",
       "void gemmk1_kernel<int, float, 256, 5, false, false>",
       "Cijk_Ailk_Bljk_SB_MT128x128x16_SN_1LDSB0",
       "triton_mm",
       "triton_tem_fused_mm_0"});
}

TEST(KernelClassTest, Attention) {
  ExpectKernels(
      KernelClass::kAttention,
      {"aten::scaled_dot_product_attention", "aten::_flash_attention_forward",
       "aten::_efficient_attention_backward",
       "aten::_scaled_dot_product_flash_attention",
       "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>",
       "fmha_cutlassF_bf16_aligned_64x64_rf_sm80",
       "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16",
       "paged_attention_v2_kernel", "MultiHeadAttention", "_attn_fwd"});
}

TEST(KernelClassTest, Convolutions) {
  ExpectKernels(
      KernelClass::kConvolution,
      {"aten::conv2d", "aten::cudnn_convolution", "aten::convolution_backward",
       "Conv2D", "Conv2DBackpropFilter", "DepthwiseConv2dNative", "Conv",
       "cudnn-conv.7", "__cudnn$convForward",
       "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1>",
       "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc",
       "sm80_xmma_dgrad_implicit_gemm_indexed_f16f16_f16f32",
       "cudnn::winograd_nonfused::winogradForwardData4x4<float>",
       "void conv2d_grouped_direct_kernel<float>", "_FusedConv2D",
       "miopenSp3AsmConv_v21_1_2_gfx9_fp32_f2x3_stride1",
       "igemm_fwd_gtcx_nhwc_fp16"});
}

TEST(KernelClassTest, Normalization) {
  ExpectKernels(
      KernelClass::kNormalization,
      {"aten::batch_norm", "aten::native_layer_norm", "aten::group_norm",
       "aten::cudnn_batch_norm_backward", "FusedBatchNormV3", "BatchNorm2d",
       "LayerNorm", "rms_norm_kernel", "aten::rms_norm", "LRN",
       "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>",
       ("void at::native::(anonymous "
        "namespace)::vectorized_layer_norm_kernel<float, float>"),
       "triton_per_fused_native_layer_norm_0"});
}

TEST(KernelClassTest, Reductions) {
  ExpectKernels(
      KernelClass::kReduction,
      {"aten::sum",
       "aten::mean",
       "aten::max",
       "aten::argmax",
       "aten::topk",
       "aten::_softmax",
       "aten::log_softmax",
       "aten::nll_loss_forward",
       "aten::cross_entropy_loss",
       "aten::sort",
       "aten::cumsum",
       "Sum",
       "Mean",
       "ArgMax",
       "Softmax",
       "SparseSoftmaxCrossEntropyWithLogits",
       "reduce.15",
       "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>",
       "void (anonymous namespace)::softmax_warp_forward<float, float, 7>",
       "triton_red_fused_sum_1",
       "triton_per_fused_sum_2",
       "input_reduce_fusion",
       "aten::any",
       "TopKV2"});
}

TEST(KernelClassTest, Elementwise) {
  ExpectKernels(
      KernelClass::kElementwise,
      {"aten::add",
       "aten::add_",
       "aten::mul",
       "aten::div",
       "aten::relu",
       "aten::gelu",
       "aten::silu",
       "aten::dropout",
       "aten::sigmoid",
       "aten::_foreach_add_",
       "aten::_fused_adamw_",
       "aten::where",
       "Add",
       "AddV2",
       "Mul",
       "BiasAdd",
       "BiasAddGrad",
       "Relu",
       "ReluGrad",
       "Cast",
       "ApplyAdam",
       "ResourceApplyAdam",
       "Tanh",
       "Select",
       "fusion.3",
       "loop_add_fusion",
       "wrapped_add",
       "convert.2",
       "Maximum",
       "void at::native::vectorized_elementwise_kernel<4, at::native::CUDA>",
       "void at::native::unrolled_elementwise_kernel<at::native::direct>",
       ("void at::native::(anonymous "
        "namespace)::multi_tensor_apply_kernel<at::native::"
        "TensorListMetadata>"),
       "triton_poi_fused_add_mul_0",
       "EigenMetaKernel_sqrt",
       "ApplyGradientDescent",
       "aten::rsqrt"});
}

TEST(KernelClassTest, CopiesInTheDevice) {
  ExpectKernels(
      KernelClass::kDeviceCopy,
      {"aten::copy_",
       "aten::cat",
       "aten::stack",
       "aten::clone",
       "aten::contiguous",
       "aten::fill_",
       "aten::zero_",
       "Transpose",
       "ConcatV2",
       "Pack",
       "Pad",
       "Slice",
       "Split",
       "Tile",
       "copy.4",
       "transpose.1",
       "concatenate.2",
       "pad.1",
       "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2>",
       "void cudnn::ops::nchwToNhwcKernel<float, float, float, false>",
       "Memcpy DtoD (Device -> Device)"});
}

TEST(KernelClassTest, UnknownNames) {
  ExpectKernels(KernelClass::kOther,
                {"", "my_kernel", "aten::embedding", "GatherV2", "while.3",
                 "conditional", "RandomUniform", "aten::normal_",
                 "aten::uniform_", "NoOp", "Const", "custom-call.5", "1234"});
}

// Names that contain a word of another class.
TEST(KernelClassTest, Traps) {
  // The words of a name count, not the letters.
  ExpectKernels(KernelClass::kOther,
                {"aten::normal_", "RandomStandardNormal", "TruncatedNormal",
                 "Address", "Mulch", "Summary", "Callback", "Manysort"});
  ExpectKernels(KernelClass::kMatrixProduct, {"aten::addmm"});
  ExpectKernels(KernelClass::kElementwise, {"aten::add"});
  // A product with an epilogue is a product.
  ExpectKernels(KernelClass::kMatrixProduct,
                {"gemm_bias_relu", "triton_tem_fused_addmm_relu_1"});
}

// A fused kernel of Inductor has the names of all operations around it.
TEST(KernelClassTest, FusedKernelsOfInductor) {
  ExpectKernels(KernelClass::kElementwise,
                {"triton_poi_fused_addmm_view_3",
                 "triton_poi_fused__to_copy_transpose_unsqueeze_1"});
  ExpectKernels(KernelClass::kReduction,
                {"triton_red_fused__to_copy_addmm_mean_pow_rsqrt_transpose_4",
                 "triton_per_fused_convolution_sum_view_0"});
}

TEST(KernelClassTest, BuiltInFunctionsOfPythonAreNoKernels) {
  ExpectKernels(KernelClass::kOther,
                {"builtins.sum", "str.split", "list.copy", "dict.copy"});
}

TEST(HostCallTest, Input) {
  ExpectCalls(HostCall::kInput,
              {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
               "IteratorGetNext",
               "QueueDequeueManyV2",
               "ReaderReadV2",
               "Iterator::Next",
               "Iterator::Prefetch",
               "TensorDataset",
               "load_batch",
               "read_images",
               "InfeedEnqueueTuple",
               "infeed",
               "Unstage",
               "data_loading",
               "get_batch",
               "ParallelMapDatasetV2",
               "DecodeJpeg",
               "DecodeAndCropJpeg",
               "ReadFile",
               "ParseExampleV2"});
}

TEST(HostCallTest, NoInput) {
  for (const std::string_view name : {"aten::batch_norm",
                                      "BatchNorm2d",
                                      "BatchMatMul",
                                      "FusedBatchNormV3",
                                      "aten::_batch_norm_impl_index",
                                      "forward_batch",
                                      "train_batch",
                                      "batch",
                                      "data",
                                      "FSDP::pre_forward_prefetch",
                                      "reduce_gradient_data",
                                      "aten::native_batch_norm_backward",
                                      "autograd::engine::evaluate_function",
                                      "GatherV2",
                                      "target",
                                      "reads",
                                      "cudaMemPrefetchAsync",
                                      "get_input_embeddings",
                                      "get_data_parallel_group",
                                      "ReadVariableOp"}) {
    EXPECT_NE(HostCallOf(name), HostCall::kInput) << name;
  }
}

TEST(HostCallTest, Compilation) {
  ExpectCalls(HostCall::kCompilation,
              {"XlaCompile", "backend_compile", "BackendCompile",
               "compile_fx.<locals>.bw_compiler", "_compile.compile_inner",
               "HloPasses", "cudnnFindConvolutionForwardAlgorithm",
               "miopenFindConvolutionForwardAlgorithm", "nvrtcCompileProgram",
               "GpuCompiler::RunBackend", "autotuning", "trace_to_jaxpr",
               "Compiling fn", "train_step (tracing)"});
}

TEST(HostCallTest, WhatWasCompiledBeforeIsNoCompilation) {
  ExpectCalls(HostCall::kOther,
              {"TorchDynamo Cache Lookup", "Torch-Compiled Region: 0/0",
               "CompiledFunction", "CompiledFunctionBackward",
               "## Call CompiledFxGraph fabc ##"});
}

TEST(HostCallTest, FirstUse) {
  ExpectCalls(HostCall::kFirstUse,
              {"cuModuleLoadData", "cuModuleLoadDataEx", "cuLibraryLoadData",
               "cudaModuleLoadData", "cudaLibraryLoadData",
               "cudaStreamCreateWithFlags", "cublasCreate_v2",
               "ncclCommInitRank", "hipModuleLoadData", "Lazy Function Loading",
               "INIT_NCCL", "Runtime Triggered Module Loading", "warmup"});
}

TEST(HostCallTest, ImportsOfModules) {
  ExpectCalls(HostCall::kFirstUse,
              {"ExtensionFileLoader.create_module", "_imp.create_dynamic",
               "FileLoader.get_data", "SourceFileLoader.get_code",
               "_compile_bytecode", "_find_and_load", "_load_unlocked"});
  ExpectFunctions(HostCall::kFirstUse,
                  {"<frozen importlib._bootstrap>:1022:_find_and_load",
                   "<frozen importlib._bootstrap_external>:1016:get_data",
                   "importlib/__init__.py:108:import_module"});
}

TEST(HostCallTest, TextThatPythonCompilesIsNoCompilation) {
  for (const std::string_view name :
       {"re.compile", "sre_compile.compile", "builtins.compile",
        "re.py:226:compile", "re/__init__.py:272:_compile"}) {
    EXPECT_NE(HostCallOf(name), HostCall::kCompilation) << name;
  }
}

TEST(HostCallTest, Profiler) {
  ExpectCalls(HostCall::kProfiler,
              {"PyTorch Profiler (0)", "Activity Buffer Request",
               "Buffer Flush", "Instrumentation", "start_trace"});
}

TEST(HostCallTest, Allocation) {
  ExpectCalls(HostCall::kAllocation,
              {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaMallocHost",
               "cuMemCreate", "cuMemMap", "hipMalloc", "hipFree"});
}

TEST(HostCallTest, Launches) {
  ExpectCalls(HostCall::kLaunch,
              {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx",
               "cudaGraphLaunch", "cudaMemcpyAsync", "cudaMemsetAsync",
               "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemcpyAsync",
               "hipGraphLaunch", "cuLaunchKernel"});
}

TEST(HostCallTest, Waits) {
  ExpectCalls(HostCall::kWait, {"cudaStreamSynchronize",
                                "cudaDeviceSynchronize",
                                "cudaEventSynchronize",
                                "cuStreamSynchronize",
                                "cudaMemcpy",
                                "hipMemcpy",
                                "hipDeviceSynchronize",
                                "aten::item",
                                "aten::_local_scalar_dense",
                                "BlockHostUntilDone",
                                "block_until_ready",
                                "NEGOTIATE_ALLREDUCE",
                                "copy-done.3",
                                "clFinish",
                                "zeCommandQueueSynchronize",
                                "BufferSequencingEvent::Execute",
                                "Stage::waitEvents",
                                "poll",
                                "sem_timedwait",
                                "pthread_cond_wait",
                                "pthread_mutex_lock",
                                "clock_nanosleep",
                                "wait_barrier",
                                "vsync_wait"});
  EXPECT_EQ(HostCallOf("print_wait_times"), HostCall::kOther);
}

TEST(HostCallTest, AQueueOfInput) {
  constexpr std::string_view kGet = "queue.py:154:get";
  EXPECT_TRUE(WaitsForInput(kGet, "prefetcher.py:30:next"));
  EXPECT_TRUE(WaitsForInput(kGet, "train.py:30:get_batch"));
  EXPECT_TRUE(
      WaitsForInput("multiprocessing/queues.py:102:get", "my_loader.py:9:pop"));
  EXPECT_FALSE(WaitsForInput(kGet, "engine.py:30:run"));
  EXPECT_FALSE(WaitsForInput("queue.py:90:join", "train.py:30:next"));
  EXPECT_FALSE(WaitsForInput("threading.py:9:wait", "train.py:30:next"));
  EXPECT_FALSE(WaitsForInput(kGet, "next"));
}

// On an accelerator, it chooses elements of tensors.
TEST(HostCallTest, SelectIsAWaitOnlyOnAHost) {
  EXPECT_EQ(HostCallOf("select"), HostCall::kWait);
  EXPECT_FALSE(IsWait("select"));
  EXPECT_EQ(RoleOf("select"), "");
}

TEST(HostCallTest, CallsOfTheSystem) {
  for (const char* name : {"ioctl", "open64", "pthread_cond_wait"}) {
    EXPECT_TRUE(IsSystemCall(name)) << name;
  }
  for (const char* name : {"", "aten::add", "cudaLaunchKernel", "fusion.1"}) {
    EXPECT_FALSE(IsSystemCall(name)) << name;
  }
}

TEST(HostCallTest, OrdinaryCalls) {
  ExpectCalls(HostCall::kOther,
              {"", "ioctl", "sleepy", "polling", "aten::add", "aten::mm",
               "Optimizer.step#AdamW.step",
               "autograd::engine::evaluate_function: AddmmBackward0",
               "aten::empty", "cudaGetLastError", "cudaEventRecord",
               "cudaStreamWaitEvent", "cudaEventQuery", "forward", "MatMul",
               "cudaGetDevice", "aten::to", "DistributedDataParallel.forward"});
}

TEST(HostFunctionTest, OfTheProgram) {
  ExpectFunctions(
      HostCall::kInput,
      {"train.py:12:load_batch", "train.py:12 load_batch",
       "data.py:3:__getitem__", "data.py:3:collate_fn", "x.py:9:__next__",
       "torch/utils/data/dataloader.py:701:_fetch", "x.py:1:decode_image",
       "grain/python/data_loader.py:5:get", "x.py:8:preprocess"});
  ExpectFunctions(
      HostCall::kOther,
      {"train.py:12:step", "data.py:12:forward", "", "input/train.py:5:step",
       "dataset/model.py:5:forward", "train.py:7:train_batch",
       "warmup_run/train.py:5:step", "compiler_project/train.py:8:main",
       "x.py:5:get_batch_norm", "x.py:5:log_metrics"});
}

// Libraries have batches, data and items of their own.
TEST(HostFunctionTest, LibrariesPrepareMoreThanInput) {
  ExpectFunctions(
      HostCall::kOther,
      {"torch/nn/modules/container.py:329:__getitem__",
       "torchvision/models/resnet.py:268:forward",
       "vllm/v1/worker/gpu_model_runner.py:90:_prepare_inputs",
       "sglang/srt/managers/schedule_batch.py:12:get_model_worker_batch",
       "pipelines/flux.py:30:_prepare_latent_image_ids"});
  ExpectFunctions(HostCall::kInput,
                  {"vllm/data.py:1:load_data", "torchvision/io/image.py:3:f",
                   "torchvision/transforms/functional.py:9:resize",
                   "torchvision/datasets/folder.py:4:loader",
                   "transformers/data/data_collator.py:5:torch_collate"});
}

TEST(HostFunctionTest, NamesAboutSomethingDoNotDoIt) {
  ExpectFunctions(HostCall::kOther,
                  {"utils.py:4:compile_report", "train.py:9:get_batch_stats",
                   "train.py:9:dataset_stats", "train.py:9:log_data_shape",
                   "train.py:5:synchronize_metrics"});
  EXPECT_EQ(KernelClassOf("log_metrics"), KernelClass::kOther);
  EXPECT_EQ(KernelClassOf("aten::log"), KernelClass::kElementwise);
  EXPECT_EQ(KernelClassOf("Log"), KernelClass::kElementwise);
  EXPECT_EQ(KernelClassOf("FillPhiloxRandomKernelLaunch"), KernelClass::kOther);
}

TEST(HostFunctionTest, WaitsForTheProgram) {
  for (const std::string_view name :
       {"torch/autograd/graph.py:815:_engine_run_backward", "queue.py:154:get",
        "threading.py:320:wait", "selectors.py:410:select",
        "KernelAndDeviceFunc::Run"}) {
    EXPECT_TRUE(WaitsForProgram(name)) << name;
  }
  for (const std::string_view name :
       {"cudaStreamSynchronize", "torch/cuda/__init__.py:8:synchronize",
        "train.py:7:wait"}) {
    EXPECT_FALSE(WaitsForProgram(name)) << name;
  }
}

TEST(HostFunctionTest, Compilation) {
  ExpectFunctions(
      HostCall::kCompilation,
      {"torch/_inductor/compile_fx.py:8:compile_fx",
       "torch/_dynamo/convert_frame.py:100:_convert_frame",
       "torch/_inductor/codecache.py:7:load", "x.py:7:compile_model",
       "func_graph.py:1000 func_graph_from_py_func",
       "torch/utils/cpp_extension.py:2:load"});
  // These call what was compiled.
  ExpectFunctions(
      HostCall::kOther,
      {"torch/_dynamo/eval_frame.py:663:_fn",
       "torch/_dynamo/eval_frame.py:663:compile_wrapper",
       "torch/_functorch/aot_autograd.py:1184:forward",
       "torch/_inductor/output_code.py:460:__call__", "x.py:7:run_compiled"});
}

TEST(HostFunctionTest, TheProfiler) {
  ExpectFunctions(HostCall::kProfiler,
                  {"torch/profiler/profiler.py:740:start_trace",
                   "torch/profiler/profiler.py:680:start",
                   "torch/autograd/profiler.py:410:stop_trace"});
  ExpectFunctions(HostCall::kOther, {"profile.py:34:run_torch_profiler",
                                     "train.py:9:start", "my.py:3:stop"});
}

TEST(HostFunctionTest, Waits) {
  ExpectFunctions(HostCall::kWait, {"threading.py:323:wait", "queue.py:154:get",
                                    "selectors.py:452:select",
                                    "torch/cuda/__init__.py:8:synchronize",
                                    "jax/_src/array.py:5:block_until_ready"});
}

TEST(HostFunctionTest, FirstUse) {
  ExpectFunctions(HostCall::kFirstUse,
                  {"torch/cuda/__init__.py:263:_lazy_init",
                   "torch/distributed/distributed_c10d.py:9:init_process_group",
                   "train.py:4:warmup"});
}

TEST(WorkClassesTest, WaitsForCopies) {
  for (const std::string_view op :
       {"copy-done", "copy-done.3", "copy_done.1", "dynamic-slice-done.2",
        "dynamic-update-slice-done"}) {
    EXPECT_TRUE(WaitsForCopy(op)) << op;
  }
  for (const std::string_view op :
       {"copy-start.3", "copy", "all-reduce-done", "dynamic-slice", ""}) {
    EXPECT_FALSE(WaitsForCopy(op)) << op;
  }
}

TEST(WorkClassesTest, WaitsForEvents) {
  for (const std::string_view op :
       {"Stage::waitEvents", "event_wait", "gpu_wait_event"}) {
    EXPECT_TRUE(WaitsForEvent(op)) << op;
    EXPECT_TRUE(IsWait(op)) << op;
  }
  for (const std::string_view op :
       {"recordEvent", "await_result", "hipStreamWaitEvent", "aten::mm", ""}) {
    EXPECT_FALSE(WaitsForEvent(op)) << op;
  }
}

TEST(WorkClassesTest, SyncIsAVerb) {
  for (const std::string_view name :
       {"sync_loss", "torch.cuda.sync", "grad_sync"}) {
    EXPECT_TRUE(IsWait(name)) << name;
  }
  for (const std::string_view name :
       {"SyncBatchNorm", "aten::_sync_batch_norm", "async_copy", "loss"}) {
    EXPECT_FALSE(IsWait(name)) << name;
  }
}

TEST(WorkClassesTest, WaitsAndFramesHaveARole) {
  EXPECT_EQ(RoleOf("cudaStreamSynchronize"), "waits");
  EXPECT_EQ(RoleOf("copy-done.3"), "waits");
  EXPECT_EQ(RoleOf("ProfilerStep*"), "frame");
  EXPECT_EQ(RoleOf("aten::mm"), "");
  EXPECT_EQ(RoleOf(""), "");
}

TEST(WorkClassesTest, TheLastPartOfANameIsItsType) {
  EXPECT_EQ(TypeInName("gradients/conv1/Relu_grad/ReluGrad"), "ReluGrad");
  EXPECT_EQ(TypeInName("layer/MatMul_12"), "MatMul");
  EXPECT_EQ(TypeInName("Conv2D"), "Conv2D");
  EXPECT_EQ(TypeInName("x/_3"), "_3");
  EXPECT_EQ(TypeInName(""), "");
  EXPECT_EQ(RoleOf("layer1/_Recv"), "waits");
}

TEST(WorkClassesTest, AQueueOfTokensIsNoInput) {
  EXPECT_TRUE(TakesToken("sync_rep/QueueDequeue", "QueueDequeueV2"));
  EXPECT_TRUE(TakesToken("sync_token_q_Dequeue", "sync_token_q_Dequeue"));
  EXPECT_FALSE(TakesToken("batch/QueueDequeue", "QueueDequeueV2"));
  EXPECT_FALSE(TakesToken("token_batch", "QueueDequeueManyV2"));
  EXPECT_FALSE(TakesToken("sync/MatMul", "MatMul"));
}

TEST(WorkClassesTest, IsWaitIsTheClassOfTheCall) {
  EXPECT_TRUE(IsWait("cudaStreamSynchronize"));
  EXPECT_FALSE(IsWait("cudaMemcpyAsync"));
}

TEST(WorkClassesTest, APythonFunctionHasAFileAndALine) {
  EXPECT_TRUE(IsPythonFunction("a/data.py:12:load_batch"));
  EXPECT_TRUE(IsPythonFunction("<string>:1:<module>"));
  EXPECT_FALSE(IsPythonFunction("at::native::add"));
  EXPECT_FALSE(IsPythonFunction("train.py:load"));
  EXPECT_FALSE(IsPythonFunction(":1:f"));
  EXPECT_FALSE(IsPythonFunction("ps:0"));
  EXPECT_FALSE(IsPythonFunction(""));
}

TEST(WorkClassesTest, ThePathOfAFunctionMeansLittle) {
  EXPECT_EQ(HostCallOf("vllm/compilation/decorators.py:367:__call__"),
            HostCall::kOther);
  EXPECT_EQ(HostCallOf("data.py:12:load_batch"), HostCall::kInput);
}

}  // namespace
}  // namespace tfprof::timeline
