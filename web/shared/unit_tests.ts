// Tests the formatting of texts.

import {
  amount,
  axisTime,
  bytes,
  counted,
  exactNanos,
  micros,
  parseTime,
  perSecond,
  rate,
  readable,
  sentence,
  showable,
  time,
  unbroken,
} from "./format";
import { across, along } from "./moving";
import { equal, test } from "./testing";

test("texts that hide or reorder are shown as their codes", () => {
  equal(showable("a\u202eb"), "a‹U+202E›b");
  equal(showable("</script><b>"), "</script><b>");
  equal(showable("\u0000\u200b"), "‹U+0000›‹U+200B›");
  equal(showable("a\u034f\u3164"), "a‹U+034F›‹U+3164›");
  equal(showable("日本語 é"), "日本語 é");
});

test("a line does not end between a number and its unit", () => {
  equal(
    unbroken("step 3, 1.01 ms of 268.44 MB (7 %), 3 states"),
    "step 3, 1.01\u00a0ms of 268.44\u00a0MB (7\u00a0%), 3 states",
  );
});

test("one thing has no plural", () => {
  equal(counted(1, "step"), "1 step");
  equal(counted(1200, "step"), "1,200 steps");
});

test("sentences of the program have the units of the page", () => {
  equal(
    readable("24.16ms -> 3us, 23% of 1.5sec, +2GB at 4.1GB/s").replace(
      /\u00a0/g,
      "_",
    ),
    "24.16_ms → 3_µs, 23_% of 1.5_s, +2_GB at 4.1_GB/s",
  );
  // Names are not numbers.
  equal(
    readable("conv_3ms x.py:7ms a5us 12msx"),
    "conv_3ms x.py:7ms a5us 12msx",
  );
});

test("a message becomes a sentence", () => {
  equal(sentence("the file has no memory"), "The file has no memory");
  equal(sentence(""), "");
  equal(sentence("rank 7 is late"), "Rank 7 is late");
  // A name stays as it is.
  equal(sentence("cpu:0: idle"), "cpu:0: idle");
  equal(sentence("copy 3 takes 1 ms"), "copy 3 takes 1 ms");
});

test("times have a unit that fits, and all digits in nanoseconds", () => {
  equal(time(1500, 1000), "1.50 µs");
  equal(time(0, 1), "0");
  equal(time(3553, 1), "3.55 ms");
  equal(time(7, 1000), "7 ns");
  equal(time(173, 1), "173 µs");
  equal(micros(0), "0 µs");
  equal(micros(0.25), "0.25 µs");
  equal(micros(24165), "24.16 ms");
  equal(exactNanos(1234567, 1), "1,234,567,000 ns");
  equal(exactNanos(1234567, 1000), "1,234,567 ns");
  equal(exactNanos(1234567, 1000000), "1,234.567 ns");
  equal(exactNanos(2 ** 53, 1), "9,007,199,254,740,992,000 ns");
  equal(axisTime(-0, 10, 1000), "0 ns");
  equal(axisTime(1500000, 500000, 1000), "1.5 ms");
});

test("sizes and rates", () => {
  equal(bytes(999), "999 B");
  equal(bytes(196608), "196.61 KB");
  equal(bytes(999999999), "1,000.00 MB");
  equal(bytes(16106340000), "16.11 GB");
  equal(bytes(2.5e12), "2.50 TB");
  equal(rate(1e6, 1e6, 1000), "1.00 GB/s");
  equal(rate(-1, 10, 1), "");
  equal(perSecond(2500, "B"), "2.50 KB/s");
  equal(perSecond(2500, "FLOP"), "2.50 kFLOP/s");
  equal(amount(2048, "bytes"), "2.05 KB");
  equal(amount(12.5, "%"), "12.50 %");
});

test("durations are read as a person writes them", () => {
  equal(parseTime("10us", 1000), 10000);
  equal(parseTime("1.5 ms", 1), 1500);
  equal(parseTime("250", 1000), 250);
  equal(parseTime("soon", 1000), undefined);
});

test("arrows move along a list and across a grid, and stop at its ends", () => {
  const list = along(3);
  equal(list("ArrowRight", 0), 1);
  equal(list("ArrowRight", 2), 2);
  equal(list("ArrowLeft", 0), 0);
  equal(list("End", 0), 2);
  equal(list("x", 1), 1);
  // Two rows, three columns: 0 2 4, 1 3 5.
  const grid = across(2, 3);
  equal(grid("ArrowDown", 2), 3);
  equal(grid("ArrowDown", 3), 3);
  equal(grid("ArrowUp", 2), 2);
  equal(grid("ArrowRight", 1), 3);
  equal(grid("ArrowRight", 5), 5);
  equal(grid("ArrowLeft", 1), 1);
  equal(grid("Home", 5), 1);
  equal(grid("End", 0), 4);
});
