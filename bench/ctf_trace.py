#!/usr/bin/env python3
"""Writes a CTF trace for measurements of the reader.

    ctf_trace.py FOLDER [EVENTS]

Ops of TensorFlow on four threads, each its own stream, with the layouts of
LTTng: large event headers, three fields a begin or end. 6 million events are
some 600 MB.
"""

import os
import struct
import sys

THREADS = 4
EVENTS_OF_PACKET = 4096
METADATA = """/* CTF 1.8 */
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace {
  major = 1; minor = 8; byte_order = le;
  uuid = "5f0ee7bc-0000-4000-8000-000000000006";
  packet.header := struct {
    uint32_t magic; uint32_t stream_id; uint64_t stream_instance_id;
  };
};
env { hostname = "bench"; };
clock { name = "monotonic"; freq = 1000000000; offset = 1700000000000000000; };
typealias integer { size = 32; align = 8; signed = false;
  map = clock.monotonic.value; } := time32;
typealias integer { size = 64; align = 8; signed = false;
  map = clock.monotonic.value; } := time64;
stream {
  id = 0;
  event.header := struct {
    enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;
    variant <id> {
      struct { time32 timestamp; } compact;
      struct { uint32_t id; time64 timestamp; } extended;
    } v;
  } align(8);
  packet.context := struct {
    time64 timestamp_begin; time64 timestamp_end;
    uint64_t content_size; uint64_t packet_size;
    uint64_t packet_seq_num; uint64_t events_discarded;
  };
  event.context := struct { uint32_t _vtid; };
};
event { name = "tensorflowTracer:operation_start"; id = 0; stream_id = 0;
  fields := struct { string _cat; string _placement; string _name; }; };
event { name = "tensorflowTracer:operation_end"; id = 1; stream_id = 0;
  fields := struct { string _cat; string _placement; string _name; }; };
"""


def write_stream(path, thread, events):
    pack = struct.Struct("<HII").pack
    bodies = [
        b"sync\0/job:localhost/replica:0/task:0/device:CPU:0\0layer%d/op%d\0"
        % (i // 16, i)
        for i in range(256)
    ]
    time = thread
    number = 0
    with open(path, "wb") as out:
        for first in range(0, events, EVENTS_OF_PACKET):
            parts = []
            begin = time
            for i in range(first, min(events, first + EVENTS_OF_PACKET)):
                time += 500
                parts.append(pack(i & 1, time & 0xFFFFFFFF, 1000 + thread))
                parts.append(bodies[(i >> 1) & 255])
            content = b"".join(parts)
            bits = (16 + 48 + len(content)) * 8
            out.write(struct.pack("<IIQ", 0xC1FC1FC1, 0, thread))
            out.write(
                struct.pack("<6Q", begin, time, bits, bits, number, 0)
            )
            out.write(content)
            number += 1


def main():
    folder = sys.argv[1]
    events = int(sys.argv[2]) if len(sys.argv) > 2 else 6000000
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w") as out:
        out.write(METADATA)
    for thread in range(THREADS):
        write_stream(
            os.path.join(folder, f"ch_{thread}"), thread, events // THREADS
        )


if __name__ == "__main__":
    main()
