import { encode as encodePng } from 'fast-png'
import encodeQR from 'qr'

/** QR code options. Medium error correction: a payload fits well, and a scratched screen is still readable. */
const QR_OPTIONS = { ecc: 'medium', border: 4 } as const
const PIXELS_PER_MODULE = 8

export function renderQrSvg(payload: string): string {
  return encodeQR(payload, 'svg', QR_OPTIONS)
}

export function renderQrPng(payload: string): Buffer {
  const modules = encodeQR(payload, 'raw', { ...QR_OPTIONS, scale: PIXELS_PER_MODULE })
  const size = modules.length
  const data = Uint8Array.from(modules.flat(), dark => (dark ? 0 : 255))
  return Buffer.from(encodePng({ width: size, height: size, data, depth: 8, channels: 1 }))
}
