// For unit tests: assertions, and a list of tests.

let failures = 0;
let checks = 0;

export function test(name: string, run: () => void | Promise<void>) {
  tests.push([name, run]);
}

const tests: Array<[string, () => void | Promise<void>]> = [];

export function equal(actual: unknown, expected: unknown) {
  ++checks;
  const show = (value: unknown) =>
    JSON.stringify(value, (_, v) =>
      ArrayBuffer.isView(v) ? Array.from(v as unknown as number[]) : v,
    );
  if (show(actual) !== show(expected)) {
    throw new Error(`found ${show(actual)}, expected ${show(expected)}`);
  }
}

export function close(actual: number, expected: number, within = 1e-6) {
  ++checks;
  if (!(Math.abs(actual - expected) <= within)) {
    throw new Error(`found ${actual}, expected ${expected}`);
  }
}

// Pseudorandom numbers that are the same in each run.
export function random(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export async function runTests() {
  for (const [name, run] of tests) {
    try {
      await run();
    } catch (error) {
      ++failures;
      console.log(`FAILED ${name}: ${(error as Error).message}`);
    }
  }
  console.log(`${tests.length} tests, ${checks} checks, ${failures} failed`);
  if (failures > 0 || tests.length === 0 || checks === 0) {
    throw new Error("tests failed");
  }
}
