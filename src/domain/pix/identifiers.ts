/** The canonical form of RFC 9562, lower case, any version: the only one we write and show. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}

/**
 * Our id at a provider: the uuid without hyphens. 32 letters and digits fit the Central Bank's txid
 * (`[a-zA-Z0-9]{26,35}`) and its id of a devolução (1..35). Throws RangeError for anything but a uuid.
 */
export function referenceOf(uuid: string): string {
  if (!isUuid(uuid)) throw new RangeError(`not a uuid: ${uuid}`)
  return uuid.replaceAll('-', '')
}

/** The uuid behind a reference a provider names, or null where the reference cannot be ours. */
export function uuidFromReference(reference: string): string | null {
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(reference)
  return parts?.slice(1).join('-') ?? null
}

/** A uuid that is always the same for what was hashed: 122 bits of the hash, version 8, variant 10 (RFC 9562 §5.8). */
export function uuidFromHash(hash: Uint8Array): string {
  const bytes = Uint8Array.from(hash.subarray(0, 16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return uuidFromReference(Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join(''))!
}

/**
 * What a rail id is made of: `ispb` of the institution that sends (8 of `0-9A-Z`), the minute it was made
 * (`at`, ISO 8601 in UTC with `Z`), and 11 letters and digits of its maker's.
 */
export type RailIdParts = { ispb: string; at: string; suffix: string }

/** `E` + ISPB + yyyyMMddHHmm + suffix, 32 characters (pacs.008, EndToEndId). Throws RangeError on a bad part. */
export function buildEndToEndId(parts: RailIdParts): string {
  return formatRailId({ letter: 'E', ...parts })
}

/** The same with `D`: the id of a devolução, its ISPB that of the institution that returns (pacs.004, RtrId). */
export function buildReturnId(parts: RailIdParts): string {
  return formatRailId({ letter: 'D', ...parts })
}

/**
 * Whether this is an end-to-end id as the rail's schema has it (pacs.002, EndToEndIdType), its time a minute that
 * exists. For ids we make; those of others are only `[a-zA-Z0-9]{32}` in the Central Bank's API, and money
 * is never refused over its id.
 */
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
  const parts = /^[DE][0-9A-Z]{8}(\d{4})(\d\d)(\d\d)([01]\d|2[0-3])[0-5]\d[a-zA-Z0-9]{11}$/.exec(text)
  if (!parts) return false
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth({ year, month })
}

/** Counted here, not by `Date`: the domain stays without it. */
function daysInMonth({ year, month }: { year: number; month: number }): number {
  const leaps = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  if (month === 2) return leaps ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
