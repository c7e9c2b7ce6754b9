/** Id, length and value: what EMV's payment codes are written in (EMV QRCPS, merchant-presented mode, §3). */

/** One field: two digits of id, two of length, the value. Throws RangeError for a value not of 1 to 99 characters. */
export function encodeTlvField(id: string, value: string): string {
  if (value.length < 1 || value.length > 99)
    throw new RangeError(`field ${id} cannot hold ${value.length} characters`)
  return id + String(value.length).padStart(2, '0') + value
}

/** The fields of a text by id, in their order; null where one is empty, repeated, or longer than what is left. */
export function parseTlvFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const [, id, length] = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4)) ?? []
    const start = at + 4
    const end = start + Number(length)
    if (id === undefined || fields.has(id) || end === start || end > text.length) return null
    fields.set(id, text.slice(start, end))
    at = end
  }
  return fields
}
