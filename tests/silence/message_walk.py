"""Whether a protobuf library would read a message: a walk over its wire form.

MESSAGES says for each type which fields are messages or packed numbers, by
their numbers in the public .proto files. All other fields are leaves.
"""

MAX_DEPTH = 100
# Packed numbers; "v" are varints.
PACKED = {"v": 0, "f": 4, "d": 8}


def parsed(text):
    """{type: {field: type, or a letter of PACKED}}."""
    types = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        name, *fields = line.split()
        types[name] = {}
        for field in fields:
            numbers, kind = field.split(":")
            for one in numbers.split(","):
                types[name][int(one)] = kind
    return types


MESSAGES = parsed("""
XSpace 1:XPlane
XPlane 3:XLine 4:EventEntry 5:StatEntry 6:XStat
XLine 4:XEvent
XEvent 4:XStat
XStat
EventEntry 2:XEventMetadata
XEventMetadata 5:MetadataStat 6:v
MetadataStat 6:HloProto
StatEntry 2:XStatMetadata
XStatMetadata
HloProto 1:HloModule 3:BufferAssignment
HloModule 3:HloComputation 4:ProgramShape 7:Schedule 8:Aliases 10:Prefetch
    12,14:Sharding 13:ModuleProfile 15:DeviceAssignment 17:StackFrames
    18:Donors 19:Attributes
HloComputation 2:HloInstruction 4:ProgramShape
HloInstruction 3,29,57:Shape 7:OpMetadata 8:Literal 14,20,32,34,36,37,38:v
    15:Window 16:Convolution 17:Numbers 21:Window 30:Dot 33:Lists
    40,54,55:Sharding 48:Lists 49:Lists 51:Lists 52:Numbers 59:Numbers
    61:Lists 62:Numbers 68:Attributes 74:Aliasing 82:Statistics 87:DeviceList
    88:OriginalValue 90:RaggedDot 91:Accuracy
Numbers
Lists 1,2,3,5,6:v
Shape 3,6:v 4:Shape 5:Layout
Layout 1,9,13,14:v 6:Lists 10:Shape 17:Split
Split 2:v
ProgramShape 1,2:Shape
OpMetadata 5:v 10:OpProfile
OpProfile 1:v
Literal 1:Shape 2,4,5,6,7,14:v 8,12:f 9,18:d 10:Literal
Window 1:Numbers
Convolution 6,11,12:v
Dot 1,2,3,4:v
RaggedDot 1:Dot 2,3:v
Sharding 2:Shape 3,4,8,9,10:v 5:Sharding 7:OpMetadata 14:NamedSharding
NamedSharding 1:NamedSharding 2:Mesh 3:DimSharding 4,5:AxisRef 6:OpMetadata
Mesh 1:Numbers 2:v
DimSharding 1:AxisRef
AxisRef 2:Numbers
Attributes 1:Numbers
Aliasing 1,3:v
Statistics 2:Numbers
DeviceList 1:Lists 2:IotaList
IotaList 3,4:v
OriginalValue 1:OriginalElement
OriginalElement 1:v
Accuracy 2:Numbers
Schedule 1:Sequence
Sequence 2:Lists
Aliases 1:Aliasing
Donors 1:Donor
Donor 2:v
Prefetch 2:v
ModuleProfile
DeviceAssignment 3:Lists
StackFrames 3,4:Numbers
BufferAssignment 1:LogicalBuffer 2:BufferAlias 3:Allocation 4:HeapTrace
LogicalBuffer 3:BufferLocation
BufferLocation 3:v
BufferAlias 2:BufferLocation
Allocation 9:Numbers 10:v
HeapTrace 1:Numbers
OnnxModel 7:OnnxGraph 8:OnnxPair 14:OnnxPair 20:OnnxTraining 25:OnnxFunction
    26:OnnxPair
OnnxGraph 1:OnnxNode 5:OnnxTensor 11,12,13:OnnxValue 14:OnnxAnnotation
    15:OnnxSparse 16:OnnxPair
OnnxPair
OnnxTraining 1,2:OnnxGraph 3,4:OnnxPair
OnnxFunction 7:OnnxNode 9,14:OnnxPair 11:OnnxAttribute 12:OnnxValue
OnnxNode 5:OnnxAttribute 9:OnnxPair 10:OnnxNodeDevice
OnnxNodeDevice 2:OnnxShard
OnnxShard 2:v 3:OnnxIntList 4:OnnxShardedDim
OnnxIntList 2:v
OnnxShardedDim 2:OnnxPair
OnnxTensor 1,5,7,11:v 3:OnnxPair 4:f 10:d 13,16:OnnxPair
OnnxSparse 1,2:OnnxTensor 3:v
OnnxAnnotation 2:OnnxPair
OnnxAttribute 5,10:OnnxTensor 6,11:OnnxGraph 7:f 8:v 14,15:OnnxType
    22,23:OnnxSparse
OnnxValue 2:OnnxType 4:OnnxPair
OnnxType 1,8:OnnxTensorType 4,9:OnnxTypeOf 5:OnnxMapType 7:OnnxPair
OnnxTypeOf 1:OnnxType
OnnxMapType 2:OnnxType
OnnxTensorType 2:OnnxShape
OnnxShape 1:OnnxPair
Pprof 1,11:PprofPair 2:PprofSample 3,5:PprofPair 4:PprofLocation 13:v
    16:PprofLabels
PprofPair
PprofSample 1,2:v 3:PprofPair 4:PprofBreakdown
PprofBreakdown 1,2,3:v
PprofLabels 2:PprofPair
PprofLocation 4:PprofPair
Trace 1:Packet
Packet 2:ProcessTree 6:ClockSnapshot 11:TrackEvent 12:Interned 35:TraceStats
    43:Process 52:GpuCounters 53:GpuStage 59:Defaults 60:Track
Leaf
ProcessTree 1:TreeProcess 2:Leaf
TreeProcess
Process
ClockSnapshot 1:Leaf
TrackEvent 4:Annotation 6:Leaf 33:Leaf
Annotation 8:Nested 11,12:Annotation
Nested 3,4:Nested
Interned 1,2,3,4,5,16,17,18,20,22,23,24,25,26,27,29:Leaf
TraceStats 1:Leaf 18:Leaf
GpuCounters 1:CounterNames 2:Leaf
CounterNames 1,2,6:Leaf
GpuStage 6:Leaf 7:GpuSpecs
GpuSpecs 1,2,3:Leaf
Defaults 11:Leaf
Track 3,4,8:Leaf
RunMetadata 1:StepStats
StepStats 1:DeviceStats
DeviceStats 2:NodeStats 3:Leaf
NodeStats 6:Memory 7:NodeOutput 11:Description 12:MemoryStats
Memory 6:Leaf
NodeOutput 3:TensorDescription
TensorDescription 2:TensorShape 4:Description
TensorShape 2:Leaf
Description
MemoryStats 5,6:v
GraphDef 1:NodeDef 4:Leaf
NodeDef 5:AttrEntry 6:Leaf
AttrEntry 2:AttrValue
AttrValue 1:AttrList 7:TensorShape 8:Tensor
AttrList 3,5,6:v 4:f 7:TensorShape 8:Tensor
Tensor 2:TensorShape
""")


class Damage(Exception):
    pass


def number(data, begin, end, most):
    """(value, end) of a varint of at most `most` bytes."""
    value = shift = 0
    for at in range(begin, min(end, begin + most)):
        value |= (data[at] & 127) << shift
        shift += 7
        if data[at] < 128:
            return value, at + 1
    raise Damage


def walk(data, kind, at=0, end=None, depth=0, group=None):
    """The end of a message, or of the group `group`. Raises Damage."""
    end = len(data) if end is None else end
    fields = MESSAGES.get(kind, {})
    if depth > MAX_DEPTH:
        raise Damage
    while at < end:
        tag, at = number(data, at, end, 5)
        wire, field = tag & 7, (tag & 0xFFFFFFFF) >> 3
        if field == 0:
            raise Damage
        if wire == 0:
            _, at = number(data, at, end, 10)
        elif wire == 1:
            at += 8
        elif wire == 5:
            at += 4
        elif wire == 3:
            at = walk(data, None, at, end, depth + 1, field)
        elif wire == 4:
            if field != group:
                raise Damage
            return at
        elif wire == 2:
            size, at = number(data, at, end, 5)
            if size > end - at:
                raise Damage
            of = fields.get(field)
            if of in PACKED:
                packed(data, at, at + size, PACKED[of])
            elif of is not None:
                walk(data, of, at, at + size, depth + 1)
            at += size
        else:
            raise Damage
        if at > end:
            raise Damage
    if group is not None:
        raise Damage
    return at


def packed(data, at, end, size):
    if size:
        if (end - at) % size:
            raise Damage
        return
    while at < end:
        _, at = number(data, at, end, 10)


def is_read(data, kind):
    try:
        walk(data, kind)
    except Damage:
        return False
    return True
