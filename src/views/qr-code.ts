import { encode as encodePng } from 'fast-png'
import encodeQR from 'qr'

/** QR code options. Medium error correction: a payload fits well, and a scratched screen is still readable. */
const QR_OPTIONS = { ecc: 'medium', border: 4 } as const
/** Pixels of a module's side. Eight pixels of one bit each are a byte, so a module is a byte of a row. */
const PIXELS_PER_MODULE = 8
const [BLACK_BYTE, WHITE_BYTE] = [0, 0xff]

export function renderQrSvg(payload: string): string {
  return encodeQR(payload, 'svg', QR_OPTIONS)
}

/** Renders a PNG of one bit per pixel: with a byte per pixel it took 25 times as long, on the API's only thread. */
export function renderQrPng(payload: string): Buffer {
  const modules = encodeQR(payload, 'raw', QR_OPTIONS)
  const size = modules.length * PIXELS_PER_MODULE
  const data = new Uint8Array(modules.length * size)
  for (const [index, row] of modules.entries()) {
    const bytes = Uint8Array.from(row, isDark => (isDark ? BLACK_BYTE : WHITE_BYTE))
    for (let line = 0; line < PIXELS_PER_MODULE; line += 1)
      data.set(bytes, (index * PIXELS_PER_MODULE + line) * modules.length)
  }
  return Buffer.from(encodePng({ width: size, height: size, data, depth: 1, channels: 1 }))
}
