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
 * Parses the time at which an end-to-end id (`E`) or the id of a return (`D`) was made, in ms: the letter is followed by
 * the ISPB of the institution that sends, which may have letters, and the minute in UTC (SPI, EndToEndId of pacs.008 and RtrId of pacs.004). Null
 * for any other text.
 */
export function timeOfRailId(id: string): number | null {
  const parts = /^[DE][0-9A-Za-z]{8}(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)[a-zA-Z0-9]{11}$/.exec(id)
  if (!parts) return null
  const [year, month, day, hour, minute] = parts.slice(1)
  const minuteText = `${year}-${month}-${day}T${hour}:${minute}`
  const time = Date.parse(`${minuteText}Z`)
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(minuteText) ? null : time
}

/**
 * Gets the end-to-end id of a PIX as merchants see it. Where a provider looks a PIX up by its own name only, that name identifies it,
 * such as `deposit/5656565656565656`: no id of the rail has a slash. A name is shown as `''`, or as the end-to-end id that it ends with.
 */
export function showEndToEndId(id: string | null | undefined): string {
  if (!id?.includes('/')) return id ?? ''
  return /\/(E[0-9A-Za-z]{31})$/.exec(id)?.[1] ?? ''
}
