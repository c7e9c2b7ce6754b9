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
