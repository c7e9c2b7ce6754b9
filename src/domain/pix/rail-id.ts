/**
 * Parses the time at which an end-to-end id (`E`) or the id of a return (`D`) was made, in ms: the letter is followed by
 * the ISPB of the institution that sends and the minute in UTC (SPI, EndToEndId of pacs.008 and RtrId of pacs.004). Null
 * for any other text.
 */
export function timeOfRailId(id: string): number | null {
  const parts = /^[DE][0-9A-Z]{8}(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)[a-zA-Z0-9]{11}$/.exec(id)
  if (!parts) return null
  const [year, month, day, hour, minute] = parts.slice(1)
  const minuteText = `${year}-${month}-${day}T${hour}:${minute}`
  const time = Date.parse(`${minuteText}Z`)
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(minuteText) ? null : time
}
