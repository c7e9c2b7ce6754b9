import { createHash } from 'node:crypto'
import type { SimulatorStore } from './store.ts'

/** Generates the ids that providers assign. Equal seeds and calls give equal ids, except for the times in them. */
export type IdGenerator = {
  endToEnd(origin: { ispb: string; at: string }): string
  returnId(origin: { ispb: string; at: string }): string
  /** Generates 32 hexadecimal digits: the last part of a payload's URL, or a provider's own txid. */
  token(): string
  evpKey(): string
  locationId(): number
  /** Generates the id of a recurrence (RR, RN) or of a consent request (SC), of 29 characters (pix-api, RecId). */
  recurrenceId(origin: { prefix: 'RR' | 'RN' | 'SC'; ispb: string; day: string }): string
  /** Generates the id of a dispute, a UUID as in DICT. */
  disputeId(): string
  /** Generates the id of an object whose provider calls it by a UUID. */
  uuid(): string
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
    uuid: () => formatUuid(digest('uuid').toString('hex')),
    panelId: () => digest('panelId').toString('hex').slice(0, 24),
    locationId: () => store.nextCount('location'),
    recurrenceId: ({ prefix, ispb, day }) =>
      `${prefix}${ispb}${day.replaceAll('-', '')}${suffix('recurrenceId')}`,
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

/**
 * Parts of a rail id: `ispb` of the institution that sends (8 of `0-9A-Z`), the minute it was made (`at`, ISO 8601 in
 * UTC with `Z`), and 11 letters and digits of its maker's.
 */
type RailIdParts = { ispb: string; at: string; suffix: string }

/** `E` + ISPB + yyyyMMddHHmm + suffix, 32 characters (pacs.008, EndToEndId). Throws RangeError on a bad part. */
export function buildEndToEndId(parts: RailIdParts): string {
  return formatRailId({ letter: 'E', ...parts })
}

/** The same with `D`: the id of a devolução, its ISPB that of the institution that returns (pacs.004, RtrId). */
export function buildReturnId(parts: RailIdParts): string {
  return formatRailId({ letter: 'D', ...parts })
}

/** Whether this is an end-to-end id as the rail's schema has it (pacs.002, EndToEndIdType), its time a minute that exists. */
export function isEndToEndId(text: string): boolean {
  return text.startsWith('E') && isRailId(text)
}

/** Whether this is the id of a devolução (pacs.004, OrgnlInstrIdType), as strictly. */
export function isReturnId(text: string): boolean {
  return text.startsWith('D') && isRailId(text)
}

function formatRailId({ letter, ispb, at, suffix }: RailIdParts & { letter: 'E' | 'D' }): string {
  const time = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(at)
  const id = `${letter}${ispb}${time?.slice(1).join('')}${suffix}`
  if (ispb.length !== 8 || !isRailId(id)) throw new RangeError(`no rail id from ${ispb}, ${at}, ${suffix}`)
  return id
}

function isRailId(text: string): boolean {
  const parts = /^[DE][0-9A-Z]{8}(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)[a-zA-Z0-9]{11}$/.exec(text)
  if (!parts) return false
  const [year, month, day, hour, minute] = parts.slice(1)
  const time = `${year}-${month}-${day}T${hour}:${minute}`
  const at = new Date(`${time}Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(time)
}
