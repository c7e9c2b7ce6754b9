import { encode as encodePng } from 'fast-png'
import encodeQR from 'qr'

/** The picture of a payload. Medium error correction: a payload fits well, and a scratched screen still reads. */
const LOOK = { ecc: 'medium', border: 4 } as const
/** Pixels of one module of the PNG. */
const SCALE = 8

export function qrSvg(payload: string): string {
  return encodeQR(payload, 'svg', LOOK)
}

export function qrPng(payload: string): Buffer {
  const modules = encodeQR(payload, 'raw', { ...LOOK, scale: SCALE })
  const size = modules.length
  const data = Uint8Array.from(modules.flat(), dark => (dark ? 0 : 255))
  return Buffer.from(encodePng({ width: size, height: size, data, depth: 8, channels: 1 }))
}
