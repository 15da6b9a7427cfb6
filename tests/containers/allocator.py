"""A simulated allocator of device memory, which writes PyTorch's snapshots.

It rounds requests, keeps segments for each stream and pool, splits and
joins blocks, keeps freed memory that another stream still uses, and gives
whole segments back. It knows at each moment what is allocated, what rounding
costs and what is free, so a reader of its snapshots can be compared with it.
"""

import itertools

ROUND = 512
SMALL = 1 << 20  # the largest request of the small pool
SEGMENTS = {"small": 2 << 20, "large": 20 << 20}


class Allocator:
    def __init__(self, random, device):
        self.random = random
        self.device = device
        self.segments = []
        self.events = []
        self.levels = []  # after each event: (micros, allocated, reserved)
        self.time = 1_700_000_000_000_000
        self.next_address = (device + 1) << 40

    # ---- What is true now.

    def blocks(self):
        return itertools.chain(*(s["blocks"] for s in self.segments))

    def reserved(self):
        return sum(s["total_size"] for s in self.segments)

    def allocated(self, states=("active_allocated",)):
        return sum(
            b["requested_size"] for b in self.blocks() if b["state"] in states
        )

    def internal(self):
        return sum(
            b["size"] - b["requested_size"]
            for b in self.blocks()
            if b["state"] == "active_allocated"
        )

    def external(self):
        return sum(
            b["size"] for b in self.blocks() if b["state"] != "active_allocated"
        )

    # ---- What the program does.

    def note(self, action, address, size, stream):
        self.time += self.random.randint(1, 9)
        line = self.random.randint(1, 5)
        self.events.append(
            {
                "action": action,
                "addr": address,
                "size": size,
                "stream": stream,
                "time_us": self.time,
                "frames": [
                    {"name": "f%d" % line, "filename": "t.py", "line": line}
                ],
            }
        )
        # Memory that waits for another stream is not given back yet.
        allocated = self.allocated(("active_allocated", "active_pending_free"))
        self.levels.append((self.time, allocated, self.reserved()))

    def allocate(self):
        request = self.random.choice(
            (self.random.randint(1, 4096), self.random.randint(1, 8 << 20))
        )
        size = -(-request // ROUND) * ROUND
        pool = "small" if request <= SMALL else "large"
        stream = self.random.choice((0, 0, 7))
        fits = [
            (block["size"], block["address"], segment, block)
            for segment in self.segments
            for block in segment["blocks"]
            if (segment["segment_type"], segment["stream"]) == (pool, stream)
            and block["state"] == "inactive"
            and block["size"] >= size
        ]
        if fits:
            _, _, segment, block = min(fits, key=lambda fit: fit[:2])
        else:
            segment = self.grow(max(size, SEGMENTS[pool]), pool, stream)
            block = segment["blocks"][0]
        left = block["size"] - size
        block.update(
            size=size, requested_size=request, state="active_allocated"
        )
        if left:
            rest = self.block(block["address"] + size, left)
            at = segment["blocks"].index(block)
            segment["blocks"].insert(at + 1, rest)
        self.note("alloc", block["address"], request, stream)

    def grow(self, total, pool, stream):
        address = self.next_address
        self.next_address += total + (1 << 21)
        segment = {
            "device": self.device,
            "address": address,
            "total_size": total,
            "stream": stream,
            "segment_type": pool,
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": [self.block(address, total)],
        }
        self.segments.append(segment)
        self.note("segment_alloc", address, total, stream)
        return segment

    @staticmethod
    def block(address, size):
        return {
            "address": address,
            "size": size,
            "requested_size": 0,
            "state": "inactive",
            "frames": [],
        }

    def find(self, state):
        found = [
            (segment, block)
            for segment in self.segments
            for block in segment["blocks"]
            if block["state"] == state
        ]
        return self.random.choice(found) if found else (None, None)

    def free(self):
        segment, block = self.find("active_allocated")
        if block is None:
            return
        block["state"] = "active_pending_free"
        request = block["requested_size"]
        self.note(
            "free_requested", block["address"], request, segment["stream"]
        )
        if self.random.random() < 0.8:
            self.complete(segment, block)

    def complete(self, segment, block):
        if block is None:
            return
        request, address = block["requested_size"], block["address"]
        block.update(state="inactive", requested_size=0)
        self.note("free_completed", address, request, segment["stream"])
        joined = []
        for each in segment["blocks"]:
            last = joined[-1] if joined else None
            if last and last["state"] == each["state"] == "inactive":
                last["size"] += each["size"]
            else:
                joined.append(each)
        segment["blocks"] = joined

    def give_back(self):
        for segment in list(self.segments):
            if all(b["state"] == "inactive" for b in segment["blocks"]):
                self.segments.remove(segment)
                self.note(
                    "segment_free",
                    segment["address"],
                    segment["total_size"],
                    segment["stream"],
                )

    def act(self):
        dice = self.random.random()
        if dice < 0.5:
            self.allocate()
        elif dice < 0.9:
            self.free()
        elif dice < 0.96:
            self.complete(*self.find("active_pending_free"))
        else:
            self.give_back()


def snapshot(allocators, last=None):
    """What torch.cuda.memory._snapshot() returns; `last`: a ring buffer."""
    return {
        "segments": [s for a in allocators for s in a.segments],
        "device_traces": [
            a.events if last is None else a.events[-last:] for a in allocators
        ],
    }
