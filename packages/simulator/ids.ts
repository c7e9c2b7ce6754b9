import { createHash } from 'node:crypto'
import { buildEndToEndId, buildReturnId } from './rail-ids.ts'
import type { SimulatorStore } from './store.ts'

/** Generates the ids that providers assign. Equal seeds and calls give equal ids, except for the times in them. */
export type IdGenerator = {
  endToEnd(origin: { ispb: string; at: string }): string
  returnId(origin: { ispb: string; at: string }): string
  /** Generates 32 hexadecimal digits: the last part of a payload's URL, or a provider's own txid. */
  token(): string
  evpKey(): string
  locationId(): number
  /** Generates the id of a dispute, a UUID as in DICT. */
  disputeId(): string
  /** Generates 24 hexadecimal digits for a movement that no API call orders. */
  panelId(): string
}

export function createIdGenerator(store: SimulatorStore, seed: number): IdGenerator {
  const digest = (name: string) =>
    createHash('sha256')
      .update(`${seed}/${name}/${store.nextCount(name)}`)
      .digest()
  const suffix = (name: string) => encodeAlphanumeric(digest(name), 11)
  return {
    endToEnd: origin => buildEndToEndId({ ...origin, suffix: suffix('endToEnd') }),
    returnId: origin => buildReturnId({ ...origin, suffix: suffix('returnId') }),
    token: () => digest('token').toString('hex').slice(0, 32),
    evpKey: () => formatUuid(digest('evpKey').toString('hex')),
    disputeId: () => formatUuid(digest('disputeId').toString('hex')),
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
