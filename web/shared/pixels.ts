// Colours as numbers, 0xAABBGGRR, as canvases store pixels.

export function pixel(color: string): number {
  const value = parseInt(color.slice(1), 16);
  const red = value >> 16;
  const green = (value >> 8) & 255;
  const blue = value & 255;
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// Mixes two colours: `part` is the weight of `a` over `b`.
export function mix(a: number, b: number, part: number): number {
  const channel = (shift: number) => {
    const x = (a >>> shift) & 255;
    const y = (b >>> shift) & 255;
    return Math.round(y + (x - y) * part) << shift;
  };
  return ((255 << 24) | channel(16) | channel(8) | channel(0)) >>> 0;
}

export function isLight(color: number): boolean {
  const red = color & 255;
  const green = (color >>> 8) & 255;
  const blue = (color >>> 16) & 255;
  return 0.299 * red + 0.587 * green + 0.114 * blue > 150;
}
