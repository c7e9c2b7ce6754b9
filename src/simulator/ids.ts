import { createHash } from 'node:crypto'
import { buildEndToEndId, buildReturnId } from '../domain/pix/identifiers.ts'
import type { SimulatorStore } from './store.ts'

/** Makes every id a provider would make. The same seed and the same calls give the same ids, but for their times. */
export type IdGenerator = {
  endToEnd(maker: { ispb: string; at: string }): string
  returnId(maker: { ispb: string; at: string }): string
  /** 32 hexadecimal digits: the last part of a payload's URL, or a provider's own txid. */
  token(): string
  evpKey(): string
  locationId(): number
  /** Of a dispute, as DICT makes them. */
  medId(): string
  /** Of what no API call orders: 24 hexadecimal digits. */
  panelId(): string
}

export function createIdGenerator(store: SimulatorStore, seed: number): IdGenerator {
  const digest = (name: string) =>
    createHash('sha256')
      .update(`${seed}/${name}/${store.nextCount(name)}`)
      .digest()
  const suffix = (name: string) => encodeAlphanumeric(digest(name), 11)
  return {
    endToEnd: maker => buildEndToEndId({ ...maker, suffix: suffix('endToEnd') }),
    returnId: maker => buildReturnId({ ...maker, suffix: suffix('returnId') }),
    token: () => digest('token').toString('hex').slice(0, 32),
    evpKey: () => formatUuid(digest('evpKey').toString('hex')),
    medId: () => formatUuid(digest('medId').toString('hex')),
    panelId: () => digest('panelId').toString('hex').slice(0, 24),
    locationId: () => store.nextCount('location'),
  }
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function encodeAlphanumeric(bytes: Buffer, length: number): string {
  return Array.from(bytes.subarray(0, length), byte => ALPHABET[byte % ALPHABET.length]).join('')
}

function formatUuid(hex: string): string {
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
