import type { Dispatcher } from 'undici'

/** Bytes of an endpoint's answer that are kept; the rest is never read. */
export const MAX_RECORDED_BYTES = 1_024

/**
 * The beginning of an answer as text that PostgreSQL can store. Nothing is ever decompressed: we asked for no
 * encoding, and a small bomb has a large inside. A body that stops halfway gives what came.
 */
export async function readResponseText({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  body.on('error', () => {}) // Dropping the rest is an error to the stream, not to us.
  if ((getFirstValue(headers['content-encoding']) ?? 'identity') !== 'identity') {
    body.destroy()
    return ''
  }
  return toStorableText(await readFirstBytes(body))
}

/**
 * Retry-After in milliseconds from `now`, given as seconds or as an HTTP date (RFC 9110 §10.2.3); a date that has
 * passed is 0, anything else is not there.
 */
export function parseRetryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = getFirstValue(header)?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) // asctime, the oldest form, names no zone.
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

async function readFirstBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of body) {
      parts.push(part)
      length += part.length
      if (length >= MAX_RECORDED_BYTES) break
    }
  } catch {
    // Reset or out of time: the status has been said, and it is what counts.
  }
  return Buffer.concat(parts)
}

function toStorableText(bytes: Buffer): string {
  const text = decodeRecordedBytes(bytes).replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd')
  return decodeRecordedBytes(Buffer.from(text)) // A replacement takes three bytes, so the text may have grown.
}

/** At most the bytes that are kept, without half a character at the end. */
function decodeRecordedBytes(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_RECORDED_BYTES), { stream: true })
}

function getFirstValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
