#include "loaders/onnx/messages.h"

#include <string_view>

namespace tfprof::onnx {
namespace {

constexpr std::string_view kModelMessages = R"(
Model 2 7:Graph -8,14,26:Plain -20:Training -25:Function
Graph 1:Node 5:Tensor 11,12,13:Value 15:Sparse -14:Annotation -16:Plain
Training 1,2:Graph 3,4:Plain
Function 7:Node 9,14:Plain 11:Attribute 12:Value
Node 1,2,3,4 5:Attribute 9:Property -10:NodeDevice
Property 1,2
NodeDevice 2:Sharding
Sharding 2:int 3:DeviceGroup 4:ShardedDim
DeviceGroup 2:int
ShardedDim 2:Plain
Attribute 6,11:Graph -5,10:Tensor -7:fixed32 -8:int -14,15:Type -22,23:Sparse
Tensor 1:int 2,8 -5,7,11:int -3,13,16:Plain -4:fixed32 -10:fixed64
Sparse 1:Tensor 3:int -2:Tensor
Annotation 2:Plain
Value 1 2:Type -4:Plain
Type 1:TensorType -8:TensorType -4,9:TypeOf -5:MapType -7:Plain
TypeOf 1:Type
MapType 2:Type
TensorType 1 2:Shape
Shape 1:Dimension
Dimension 1
Plain
)";

}  // namespace

const loaders::MessageCheck& ModelMessages() {
  static const auto* const check = new loaders::MessageCheck(kModelMessages);
  return *check;
}

}  // namespace tfprof::onnx
